"""RunOptions: every knob of a run, validated once, with its default in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from .errors import OptionError, nearest
from .messages import COMPATIBILITY_FLAGS, REQUEST_MEMBERS, SYNTAX_FLAGS

#: option name -> (block of the run-request, member); the one place that pairs the two spellings
WIRE_NAMES: dict[str, tuple[str, str]] = {
    "source_type": ("engine", "sourceType"),
    "compatibility": ("engine", "compatibility"),
    "warn_unsupported_features": ("engine", "warnUnsupportedFeatures"),
    "strict_types": ("engine", "strictTypes"),
    "unsafe_function_constructor": ("engine", "unsafeFunctionConstructor"),
    "unsafe_shadow_realm": ("engine", "unsafeShadowRealm"),
    "max_memory_bytes": ("engine", "maxMemoryBytes"),
    "deny_private_ranges": ("engine.fetch", "denyPrivateRanges"),
    "max_response_bytes": ("engine.fetch", "maxResponseBytes"),
    "mode": ("execution", "mode"),
    "timeout_ms": ("execution", "timeoutMs"),
    "max_instructions": ("execution", "maxInstructions"),
    "deterministic": ("execution", "deterministic"),
    "unsafe_ffi": ("execution", "unsafeFFI"),
    "fs_quota_bytes": ("execution", "fsQuotaBytes"),
    "fs_node_limit": ("execution", "fsNodeLimit"),
    "import_map": ("execution", "importMap"),
    "aliases": ("execution", "aliases"),
    "allowed_fetch_hosts": ("capabilities", "allowedFetchHosts"),
    "include_diff": ("run", "includeDiff"),
    "diff_metadata": ("run", "diffMetadata"),
    "diff_format": ("run", "diffFormat"),
}


def _default(name: str) -> Any:
    block, member = WIRE_NAMES[name]
    value = REQUEST_MEMBERS[block][member][1]
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of one run, by the request's field names in snake_case (ADR 0107 section 3a).

    Durations are milliseconds, sizes bytes; 0 means unbounded for ``timeout_ms`` and ``max_instructions``.
    ``compatibility`` takes flag names (the ``compat-`` prefix may be left out) or ``"all"`` for the ten syntax flags.

    Raises:
        OptionError: a value has the wrong type or is out of range.
    """

    source_type: Literal["script", "module"] = _default("source_type")
    compatibility: tuple[str, ...] = _default("compatibility")
    warn_unsupported_features: bool = _default("warn_unsupported_features")
    strict_types: bool = _default("strict_types")
    unsafe_function_constructor: bool = _default("unsafe_function_constructor")
    unsafe_shadow_realm: bool = _default("unsafe_shadow_realm")
    max_memory_bytes: int = _default("max_memory_bytes")
    deny_private_ranges: bool = _default("deny_private_ranges")
    max_response_bytes: int = _default("max_response_bytes")
    mode: Literal["interpreter", "bytecode"] = _default("mode")
    timeout_ms: int = _default("timeout_ms")
    max_instructions: int = _default("max_instructions")
    deterministic: bool = _default("deterministic")
    unsafe_ffi: bool = _default("unsafe_ffi")
    fs_quota_bytes: int = _default("fs_quota_bytes")
    fs_node_limit: int = _default("fs_node_limit")
    import_map: Mapping[str, Any] | None = field(default=None, hash=False)
    aliases: tuple[str, ...] = _default("aliases")
    allowed_fetch_hosts: tuple[str, ...] = _default("allowed_fetch_hosts")
    include_diff: bool = _default("include_diff")
    diff_metadata: bool = _default("diff_metadata")
    diff_format: Literal["json", "unified"] = _default("diff_format")

    def __post_init__(self) -> None:
        object.__setattr__(self, "compatibility", compatibility_flags(self.compatibility))
        for name in ("aliases", "allowed_fetch_hosts"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise OptionError(f'{name} must be a sequence of strings, not the string "{value}"')
            object.__setattr__(self, name, tuple(value))
        for name, (block, member) in WIRE_NAMES.items():
            value = getattr(self, name)
            problem = REQUEST_MEMBERS[block][member][0](list(value) if isinstance(value, tuple) else value)
            if problem:
                raise OptionError(f"{name} {problem}")

    @classmethod
    def of(cls, base: RunOptions | None = None, /, **values: Any) -> RunOptions:
        """``base`` (or the defaults) with some fields replaced by name.

        Raises:
            OptionError: a field is unknown (with the nearest known name) or its value is wrong.
        """
        known = [item.name for item in fields(cls)]
        for name in values:
            if name not in known:
                raise OptionError(f'unknown option "{name}"{nearest(name, known)}')
        return replace(base, **values) if base is not None else cls(**values)

    def to_wire(self) -> dict[str, Any]:
        """The blocks ``engine``, ``execution``, ``capabilities`` and ``run`` of a run-request."""
        blocks: dict[str, Any] = {name: {} for name in ("engine", "execution", "capabilities", "run")}
        blocks["engine"]["fetch"] = {}
        for name, (block, member) in WIRE_NAMES.items():
            target = blocks["engine"]["fetch"] if block == "engine.fetch" else blocks[block]
            value = getattr(self, name)
            target[member] = list(value) if isinstance(value, tuple) else value
        blocks["capabilities"]["hostFilesystemLoading"] = False
        blocks["run"]["isolated"] = True
        return blocks


def compatibility_flags(names: object) -> tuple[str, ...]:
    """Compatibility flags in their wire spelling and order, from names, short names or ``"all"``.

    Raises:
        OptionError: a name is not a flag; the message offers the nearest one.
    """
    if isinstance(names, str):
        names = [part.strip() for part in names.split(",") if part.strip()]
    if not isinstance(names, (list, tuple, set, frozenset)):
        raise OptionError(f"compatibility must be a list of flag names, not {type(names).__name__}")
    chosen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise OptionError(f"compatibility must hold flag names, not {type(name).__name__}")
        full = name if name in COMPATIBILITY_FLAGS else f"compat-{name}"
        if name == "all":
            chosen.update(SYNTAX_FLAGS)
        elif full in COMPATIBILITY_FLAGS:
            chosen.add(full)
        else:
            hint = nearest(name, COMPATIBILITY_FLAGS) or f"; known are all, {', '.join(COMPATIBILITY_FLAGS)}"
            raise OptionError(f'unknown compatibility flag "{name}"{hint}')
    return tuple(flag for flag in COMPATIBILITY_FLAGS if flag in chosen)
