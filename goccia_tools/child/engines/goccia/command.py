"""The command line of GocciaSandboxRunner for a run-request: every member has its option, or is refused by name."""

from __future__ import annotations

from goccia_tools.child.engines import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

#: what the runner's 32-bit options hold
_MOST: Final = 2**31 - 1
#: what stands for "none" where the runner wants a number: more than any run can use
_NO_QUOTA_BYTES: Final = 2**53 - 1

_FLAGS: Final = (
    ("engine", "warnUnsupportedFeatures", "--warning-unsupported-features"),
    ("engine", "strictTypes", "--strict-types"),
    ("engine", "unsafeFunctionConstructor", "--unsafe-function-constructor"),
    ("engine", "unsafeShadowRealm", "--unsafe-shadowrealm"),
    ("execution", "deterministic", "--deterministic"),
    ("execution", "unsafeFFI", "--unsafe-ffi"),
)
_MODES: Final = {"interpreter": "interpreted", "bytecode": "bytecode"}


def check(request: dict[str, Any]) -> None:
    """Refuse what the runner's command line cannot say.

    Raises:
        Refused: names the member of the request.
    """
    execution = request["execution"]
    for member in ("timeoutMs", "fsNodeLimit"):
        if execution[member] > _MOST:
            raise Refused(f"execution.{member}", f"GocciaSandboxRunner takes no more than {_MOST}")
    for place, texts in (
        ("execution.aliases", execution["aliases"]),
        ("capabilities.allowedFetchHosts", request["capabilities"]["allowedFetchHosts"]),
    ):
        for text in texts:
            if "\0" in text:
                raise Refused(place, "a command line cannot hold a NUL")


def options(request: dict[str, Any], *, import_map: str | None) -> list[str]:
    """The options that the run and every program it starts share; ``import_map`` is the path of its JSON."""
    engine, execution, capabilities = request["engine"], request["execution"], request["capabilities"]
    words = [
        f"--mode={_MODES[execution['mode']]}",
        f"--max-memory={engine['maxMemoryBytes']}",
        f"--timeout={execution['timeoutMs']}",
        f"--max-instructions={execution['maxInstructions']}",
        f"--fs-quota-bytes={execution['fsQuotaBytes'] or _NO_QUOTA_BYTES}",
        f"--fs-node-limit={execution['fsNodeLimit'] or _MOST}",
        f"--fetch-max-response-bytes={engine['fetch']['maxResponseBytes']}",
        "--no-host-filesystem",
    ]
    if engine["sourceType"] == "module":  # the other word would make a script of an .mjs file as well
        words.append("--source-type=module")
    words += [f"--{flag}" for flag in engine["compatibility"]]
    words += [option for block, member, option in _FLAGS if request[block][member]]
    if engine["fetch"]["denyPrivateRanges"]:
        words.append("--fetch-deny-private-ranges")
    words += [f"--allowed-host={host}" for host in capabilities["allowedFetchHosts"]]
    words += [f"--alias={alias}" for alias in execution["aliases"]]
    if import_map is not None:
        words.append(f"--import-map={import_map}")
    return words
