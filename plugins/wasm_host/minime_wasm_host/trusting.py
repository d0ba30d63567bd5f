"""Look at a module before it is trusted: its files, its permissions, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from minime_wasm_host.approval import Approval, Stub, read_module, sidecar_stamp
from minime_wasm_host.binary import PAGE, Interface, callable_functions, read_interface
from minime_wasm_host.contract import (
    USER,
    check_imports,
    detect,
    needs_network,
    needs_wasi,
)
from minime_wasm_host.describing import Description, describe_functions, describe_self
from minime_wasm_host.grants import Grants
from minime_wasm_host.places import Module
from minime_wasm_host.refusal import Refused
from minime_wasm_host.sandbox import CallFailed, Sandbox
from minime_wasm_host.sidecar import Sidecar, approved_grants, read_sidecar
from minime_wasm_host.speaking import describe_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A module that was looked at without running it.

    approval: what would be trusted; it has no tools yet.
    functions: what could be called.
    wants_network: whether it may send requests, if it were allowed to.
    """

    module: Module
    approval: Approval
    sidecar: Sidecar
    functions: list[str]
    wants_network: bool


def look_at(module: Module) -> Candidate:
    """Read the files of a module, without compiling or running it. Raises Refused."""
    try:
        return _look_at(module)
    except Refused as refused:
        raise Refused(f"{module.path.name}: {refused}") from refused


def _look_at(module: Module) -> Candidate:
    if not module.has_usable_name:
        raise Refused("its name has to be of up to 40 letters, digits, `_` and `-`: rename it")
    data, stamp = read_module(module.path)
    interface = read_interface(data)
    beside = sidecar_stamp(module.sidecar)
    sidecar = Sidecar()
    if beside is not None:
        sidecar, digest = read_sidecar(module.sidecar)
        beside = replace(beside, sha256=digest)
    contract = detect(interface, is_mapped=bool(sidecar.tools))
    check_imports(interface)
    if interface.pages * PAGE > sidecar.limits.memory_mb << 20:
        size = interface.pages * PAGE >> 20
        raise Refused(f"it needs {size} MB of memory: raise limits.memory_mb in its sidecar")
    approval = Approval(
        module=stamp,
        sidecar=beside,
        contract=contract,
        wasi=needs_wasi(interface),
        stubs=_stubs(interface),
        grants=approved_grants(sidecar.permissions, module.sidecar),
        limits=sidecar.limits,
    )
    return Candidate(
        module=module,
        approval=approval,
        sidecar=sidecar,
        functions=callable_functions(interface.functions),
        wants_network=needs_network(interface),
    )


async def described(
    candidate: Candidate, show: Callable[[str], None]
) -> tuple[Approval, Description]:
    """Return the approval with the module's tools, and what it says besides.

    The module is compiled and describes itself in a worker, with no permission at all. Raises
    Refused.
    """
    module, approval = candidate.module, candidate.approval
    try:
        if approval.contract == "plain":
            functions = set(candidate.functions)
            found = describe_functions(module.name, functions, candidate.sidecar.tools)
        else:
            output = await _description(module, approval, show)
            found = describe_self(output, module.name, candidate.sidecar.tools)
    except (CallFailed, Refused) as failed:
        raise Refused(f"{module.path.name}: {failed}") from failed
    return replace(approval, tools=tuple(found.tools)), found


async def _description(
    module: Module, approval: Approval, show: Callable[[str], None]
) -> bytearray:
    sandbox = Sandbox(module, replace(approval, grants=Grants()), idle=60)
    try:
        return await sandbox.call(*describe_request(approval.contract), show)
    finally:
        await sandbox.close()


def _stubs(interface: Interface) -> tuple[Stub, ...]:
    return tuple(
        Stub(name=wanted.name, params=wanted.signature.params, results=wanted.signature.results)
        for wanted in interface.imports
        if wanted.module == USER and wanted.signature is not None
    )
