"""How the page looks: light or dark as the reader's system, from 320 pixels on."""

STYLE = """
:root { color-scheme: light dark; --line: #ccc; --soft: #f4f4f2; --faint: #6a6a6a;
  --added: #e2f5e2; --removed: #fbe4e4; --accent: #1f5fa8; --cached: #a9c8ea; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #232323; --faint: #a0a0a0;
    --added: #173a1c; --removed: #4a1d1d; --accent: #7fb2ea; --cached: #33506f; } }
* { box-sizing: border-box; }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; line-height: 1.5;
  font-family: system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; }
header p, .facts { color: var(--faint); font-size: .85rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: .85rem; }
.turn { border-top: 1px solid var(--line); padding: .75rem 0; }
.question { border-left: 4px solid var(--accent); padding: .25rem .75rem; background: var(--soft); }
.question pre { font-family: inherit; font-size: 1rem; }
.answer pre, details pre, .diff { background: var(--soft); padding: .5rem .75rem;
  margin: .5rem 0; border-radius: 4px; }
.answer table { border-collapse: collapse; display: block; overflow-x: auto; }
.answer td, .answer th { border: 1px solid var(--line); padding: .2rem .5rem; }
.answer code { font-size: .9em; } .answer pre code { font-size: inherit; }
details { border: 1px solid var(--line); border-radius: 4px; margin: .5rem 0;
  padding: .25rem .75rem; }
summary { cursor: pointer; font-family: ui-monospace, monospace; font-size: .85rem; }
details pre { max-height: 30rem; overflow-y: auto; }
.thought summary, .thought pre { color: var(--faint); }
.diff { font-family: ui-monospace, monospace; font-size: .85rem; white-space: pre-wrap; }
.diff span { display: block; } .added { background: var(--added); }
.removed { background: var(--removed); } .place { color: var(--faint); }
.error { border-left: 4px solid #c33; padding: .25rem .75rem; }
.chart svg { width: 100%; height: 8rem; border-bottom: 1px solid var(--line); }
.new { fill: var(--accent); } .cached { fill: var(--cached); }
"""
