#!/usr/bin/env bash
# Build this plugin, install it beside Mini Me in a clean place, use it, switch it off, remove it:
# ci.sh MM_WHEEL
set -euo pipefail
wheel=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" && mkdir -p "$HOME"
python3 -m venv "$work/venv"
bin="$work/venv/bin"
"$bin/python" -m pip install --quiet build
"$bin/python" -m build --quiet --wheel --outdir "$work/dist" .
"$bin/python" -m pip install --quiet "$wheel" "$work"/dist/*.whl pytest
"$bin/python" -m pytest -q -p no:cacheprovider

cd "$work"
"$bin/mm" plugins list | grep -E '^hello +enabled +mm-plugin-hello 0\.1\.0'
test "$("$bin/mm" hello Ann)" = "Hello, Ann!"
test "$("$bin/mm" --provider echo -p "Is anybody there?")" = "Is anybody there?"
# Into a file first: grep -q leaves at the first match, and mm fails when nobody reads on.
"$bin/mm" profiles list >list.txt
grep -q '^echo ' list.txt
"$bin/mm" tools list >list.txt
grep -q '^greet .* hello$' list.txt

"$bin/mm" plugins disable hello
"$bin/mm" plugins list | grep -E '^hello +disabled'
code=0; "$bin/mm" --provider echo -p "Is anybody there?" 2>error.txt || code=$?
test "$code" = 2 && grep -q "there is no provider 'echo'" error.txt
"$bin/mm" plugins enable hello
test "$("$bin/mm" hello Ann)" = "Hello, Ann!"

"$bin/python" -m pip uninstall --quiet --yes mm-plugin-hello
"$bin/mm" plugins list >list.txt
if grep '^hello ' list.txt; then exit 1; fi
echo "the example plugin: built, used, switched off, removed"
