"""What a WebAssembly file imports and exports, read without compiling or running anything.

The format is that of the WebAssembly specification 2.0, chapter 5.5. Only the sections that tell of
the interface are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from minime_wasm_host.refusal import Refused

PAGE = 1 << 16
"""Bytes of a page of memory."""
MAX_ITEMS = 100_000
"""Most types, imports, functions or exports of a module."""

_MAGIC = b"\0asm"
_MODULE, _COMPONENT = b"\x01\0\0\0", b"\x0d\0\x01\0"
_VALUES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128"} | {
    0x70: "funcref",
    0x6F: "externref",
}
_FUNCTION, _TABLE, _MEMORY, _GLOBAL, _TAG = range(5)


@dataclass(frozen=True, slots=True)
class Signature:
    """Types of a function's parameters and results, such as `i64`."""

    params: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """Something that the host has to provide; `signature` is None when it is no function."""

    module: str
    name: str
    signature: Signature | None


@dataclass(slots=True)
class Interface:
    """What a module asks for and offers.

    functions: the exported ones.
    pages: least size of its memory in pages of 64 KiB.
    """

    imports: list[Import] = field(default_factory=list)
    functions: dict[str, Signature] = field(default_factory=dict)
    pages: int = 0


def read_interface(data: bytes) -> Interface:
    """Return the interface of a module. Raises Refused when `data` is none."""
    _check_magic(data)
    try:
        return _Parser(data).interface()
    except (IndexError, KeyError, UnicodeDecodeError) as error:
        raise Refused("it is cut off or damaged: copy or build it again") from error


def _check_magic(data: bytes) -> None:
    if not data:
        raise Refused("it is empty")
    if data.startswith(_MAGIC + _COMPONENT):
        raise Refused(
            "it is a component, not a core module: build it for wasm32-unknown-unknown or "
            "wasm32-wasip1"
        )
    if not data.startswith(_MAGIC):
        kinds = {b"{": "JSON", b"(": "WebAssembly text (compile it, for instance with wat2wasm)"}
        kind = kinds.get(data.lstrip()[:1], "something else")
        raise Refused(f"it is no WebAssembly module but {kind}")
    if not data.startswith(_MAGIC + _MODULE):
        raise Refused("it is of a version of WebAssembly that is not known")


class _Parser:
    """Reads sections one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 8
        self._types: list[Signature] = []
        self._function_types: list[int] = []
        self._interface = Interface()

    def interface(self) -> Interface:
        sections = {1: self._read_types, 2: self._read_imports, 3: self._read_functions} | {
            5: self._read_memories,
            7: self._read_exports,
        }
        while self._at < len(self._data):
            kind, size = self._byte(), self._number()
            end = self._at + size
            if end > len(self._data):
                raise IndexError("section")
            if kind in sections:
                sections[kind]()
            self._at = end
        return self._interface

    def _read_types(self) -> None:
        for _ in range(self._count()):
            if self._byte() != 0x60:
                raise Refused("it uses types of the garbage collection proposal")
            params, results = self._value_types(), self._value_types()
            self._types.append(Signature(params, results))

    def _value_types(self) -> tuple[str, ...]:
        return tuple(_VALUES[self._byte()] for _ in range(self._count()))

    def _read_imports(self) -> None:
        for _ in range(self._count()):
            module, name = self._name(), self._name()
            self._interface.imports.append(Import(module, name, self._imported()))

    def _imported(self) -> Signature | None:
        kind = self._byte()
        if kind == _FUNCTION:
            index = self._number()
            self._function_types.append(index)
            return self._types[index]
        if kind == _TABLE:
            self._byte()
            self._limits()
        elif kind == _MEMORY:
            self._memory()
        elif kind == _GLOBAL:
            self._at += 2
        elif kind == _TAG:
            self._at += 1
            self._number()
        else:
            raise KeyError(kind)
        return None

    def _read_functions(self) -> None:
        self._function_types += [self._number() for _ in range(self._count())]

    def _read_memories(self) -> None:
        for _ in range(self._count()):
            self._memory()

    def _read_exports(self) -> None:
        for _ in range(self._count()):
            name, kind, index = self._name(), self._byte(), self._number()
            if kind == _FUNCTION:
                signature = self._types[self._function_types[index]]
                self._interface.functions[name] = signature

    def _memory(self) -> None:
        self._interface.pages = max(self._interface.pages, self._limits())

    def _limits(self) -> int:
        """Return the smaller one of the limits."""
        flags, least = self._byte(), self._number()
        if flags & 1:
            self._number()
        return least

    def _name(self) -> str:
        size = self._number()
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise IndexError("name")
        return self._data[start : self._at].decode()

    def _count(self) -> int:
        count = self._number()
        if count > MAX_ITEMS:
            raise IndexError("count")
        return count

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _number(self) -> int:
        """Return an unsigned number in LEB128."""
        result = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
        raise IndexError("number")


def is_callable(signature: Signature) -> bool:
    """Return whether Extism can call a function of this signature with text in and out."""
    return not signature.params and signature.results in ((), ("i32",))


def callable_functions(functions: Mapping[str, Signature]) -> list[str]:
    """Return the names of the functions that may be tools."""
    return sorted(name for name, signature in functions.items() if is_callable(signature))
