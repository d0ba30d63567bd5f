pytest_plugins = ["minime_core.testing.pytest_plugin"]
