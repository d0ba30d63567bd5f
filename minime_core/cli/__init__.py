"""The command line: `mm [OPTIONS] [PROMPT]` and `mm COMMAND`."""
