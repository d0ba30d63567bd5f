"""How a module wants to be spoken to, told from what it exports and imports."""

from __future__ import annotations

from typing import Literal

from minime_wasm_host.binary import Import, Interface, callable_functions
from minime_wasm_host.refusal import Refused

Contract = Literal["mcp", "hyper2", "plain"]
"""`mcp`: exports `describe` and `call` that speak the JSON of the Model Context Protocol, as
servlets of mcp.run and plugins of hyper-mcp 1 do; ours too. `hyper2`: `list_tools` and `call_tool`
of hyper-mcp 2. `plain`: any functions, which a sidecar describes."""

ENVIRONMENT = "extism:host/env"
USER = "extism:host/user"
WASI = "wasi_snapshot_preview1"

LOGS = ("log_trace", "log_debug", "log_info", "log_warn", "log_error")
_KERNEL = """
alloc free length length_unsafe load_u8 load_u64 store_u8 store_u64 input_set input_length
input_offset input_load_u8 input_load_u64 output_set output_length output_offset error_set
error_get reset memory_bytes config_get var_get var_set http_request http_status_code
http_headers get_log_level
"""
"""What Extism 1 offers to modules, apart from logging."""
_HYPER = """
create_elicitation create_message list_roots notify_logging_message notify_progress
notify_prompt_list_changed notify_resource_list_changed notify_resource_updated
notify_tool_list_changed get_access_token get_keyring_secret
notify_url_elicitation_completed
"""
"""What hyper-mcp offers to modules; here each of them answers with nothing."""
_RUNTIME = ("asyncify_", "__", "_start", "_initialize", "malloc", "free", "calloc", "realloc")
"""Beginnings of names that compilers export."""


def detect(interface: Interface, *, is_mapped: bool) -> Contract:
    """Return the contract of a module.

    is_mapped: whether a sidecar says what its functions are. Raises Refused.
    """
    functions = callable_functions(interface.functions)
    if {"describe", "call"}.issubset(functions):
        return "mcp"
    if {"list_tools", "call_tool"}.issubset(functions):
        return "hyper2"
    if is_mapped:
        return "plain"
    usable = [name for name in functions if not name.startswith(_RUNTIME)]
    if usable:
        raise Refused(
            "it exports neither `describe` and `call` nor `list_tools` and `call_tool`: describe "
            f"its functions in a sidecar, section `tools` (it has {', '.join(usable[:8])})"
        )
    raise Refused(
        "it exports no function that can be called with text: export `describe` and `call`, both "
        "without parameters and with an i32 as result"
    )


def check_imports(interface: Interface) -> None:
    """Raise Refused when the module needs something that no host of this kind has."""
    for wanted in interface.imports:
        if not _is_known(wanted):
            hint = ""
            if wanted.module == "env":
                hint = " (built for another host, or for an Extism before version 1?)"
            elif wanted.module.startswith("wasi"):
                hint = f": build it for {WASI}"
            raise Refused(f"it needs {wanted.module}::{wanted.name}, which is not offered{hint}")


def _is_known(wanted: Import) -> bool:
    if wanted.signature is None:
        return False
    if wanted.module == ENVIRONMENT:
        return wanted.name in _KERNEL.split() or wanted.name in LOGS
    return wanted.module == WASI or (wanted.module == USER and wanted.name in _HYPER.split())


def needs_wasi(interface: Interface) -> bool:
    """Return whether the module wants WASI: clocks, random numbers, and the granted folders."""
    return any(wanted.module == WASI for wanted in interface.imports)


def needs_network(interface: Interface) -> bool:
    """Return whether the module may want to send HTTP requests."""
    return any(wanted.name == "http_request" for wanted in interface.imports)
