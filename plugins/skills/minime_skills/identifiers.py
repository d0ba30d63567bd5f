"""Names that code uses all the time, which make bad names for skills.

A skill named `greetings` was loaded for a question about the function `Greet`, whatever keywords or
prompt said: the name decides.
"""

from __future__ import annotations

_TEXT = """
add app args array base bool buffer build button cache call callback check class clean clear
client close code color column command component config connect constant context controller
copy count create data database date debug default delete deploy document download edit element
entry env error event execute export factory fetch field file filter find flag format function
get greet greeting handle handler hello helper id import index init input insert install item
iterator job key label layout length library line list load log logger login main manager map
match menu message method migrate model module name node number object open option order output
package page parse parser patch path plugin point post print process product profile provider
proxy queue read record refactor register release remove render repository request reset
response result return route router row run save schema script search select send serialize
server service session set setup size sort source start state status step stop store stream
string style submit switch sync table tag task template test text thread time timer token
transform tree type update upload user util validate value vector version view widget worker
write
"""
_WORDS = frozenset(_TEXT.split())


def is_identifier(name: str) -> bool:
    """Return whether code is likely to use `name`, or its singular, as a name of its own."""
    word = name.lower()
    return word in _WORDS or word.removesuffix("s") in _WORDS
