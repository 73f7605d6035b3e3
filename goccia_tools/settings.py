"""Settings: the options of a run by their command-line names, which are also the keys of configuration files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from .errors import ConfigError, OptionError, nearest
from .messages import COMPATIBILITY_FLAGS
from .options import RunOptions, compatibility_flags
from .textfiles import parse_json, read_text

Kind = Literal["flag", "count", "duration", "choice", "text", "list"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One option: its name without dashes, what it takes, and the field of RunOptions it sets (None: no such field)."""

    name: str
    kind: Kind
    summary: str
    field: str | None = None
    choices: tuple[str, ...] = ()
    minimum: int = 0
    #: another spelling that only configuration files use
    config_name: str | None = None
    #: the heading it stands under in help
    section: str = ""

    def read(self, value: object) -> Any:
        """The value as this setting stores it, from text (command line) or plain data (configuration file).

        Raises:
            OptionError: the value is not one this setting takes; the message says what it takes.
        """
        if self.kind == "flag":
            return self._flag(value)
        if self.kind == "list":
            items = value if isinstance(value, list) else [value]
            return tuple(self._text(item) for item in items)
        if self.kind in ("count", "duration"):
            return self._count(value)
        text = self._text(value)
        if self.kind == "choice":
            chosen = text.lower()
            # the reference runner calls "interpreted" what the wire calls "interpreter"
            chosen = "interpreter" if chosen == "interpreted" and "interpreter" in self.choices else chosen
            if chosen not in self.choices:
                raise OptionError(
                    f'must be one of {", ".join(self.choices)}, not "{text}"{nearest(text, self.choices)}'
                )
            return chosen
        return text

    @staticmethod
    def _flag(value: object) -> bool:
        if isinstance(value, bool):
            return value
        if value in ("true", "false", ""):
            return value != "false"
        raise OptionError(f"must be true or false, not {_shown(value)}")

    @staticmethod
    def _text(value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (str, int, float)):
            return str(value)
        raise OptionError(f"must be text, not {_shown(value)}")

    def _count(self, value: object) -> int:
        number: int | None = None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = int(value) if isfinite(value) and value == int(value) else None
        elif isinstance(value, str):
            plain = re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", value)
            number = int(value) if plain else duration_ms(value) if self.kind == "duration" else None
        if number is None:
            takes = "a whole number of milliseconds, or 2s" if self.kind == "duration" else "a whole number"
            raise OptionError(f"must be {takes}, not {_shown(value)}")
        if number < self.minimum:
            raise OptionError(f"must be {self.minimum} or greater, not {number}")
        if number >= 2**53:
            raise OptionError(f"must be smaller than 2^53, not {number}")
        return number


def duration_ms(text: str) -> int | None:
    """Milliseconds from ``250``, ``250ms``, ``2s`` or ``1.5s``; None when the text is no duration."""
    match = re.fullmatch(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(ms|s)?\s*", text)
    return None if match is None else round(float(match[1]) * (1000 if match[2] == "s" else 1))


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return {dict: "an object", list: "an array", type(None): "null", bool: str(value).lower()}.get(
        type(value), str(value)
    )


_COMPAT_SUMMARIES = {
    "compat-asi": "insert missing semicolons",
    "compat-var": "allow var",
    "compat-function": "allow function declarations and expressions",
    "compat-traditional-for-loop": "allow for (init; test; update)",
    "compat-while-loops": "allow while and do-while",
    "compat-loose-equality": "allow == and !=",
    "compat-non-strict-mode": "give scripts non-strict semantics",
    "compat-arguments-object": "give functions their arguments object",
    "compat-label": "allow labels, and break and continue to them",
    "compat-for-in-loop": "allow for-in",
    "experimental-js-module-source": "enable ModuleSource objects",
}

_ALL = (
    Setting("seed", "list", "copy a host file or folder into the sandbox, HOST[=SANDBOX]", section="Files"),
    Setting("seed-config", "list", "copy what a JSON seed file lists", section="Files"),
    Setting("import-map", "text", "host JSON file with an import map", section="Files"),
    Setting("alias", "list", "import alias KEY=TARGET", "aliases", section="Files"),
    Setting("fs-quota-bytes", "count", "bytes the files may hold", "fs_quota_bytes", minimum=1, section="Files"),
    Setting("fs-node-limit", "count", "files and folders there may be", "fs_node_limit", minimum=1, section="Files"),
    Setting("no-host-filesystem", "flag", "accepted and always so: no host file is reachable", section="Files"),
    Setting("timeout", "duration", "time to run, in ms or as 2s; 0 is no limit", "timeout_ms", section="Limits"),
    Setting("max-memory", "count", "bytes of memory", "max_memory_bytes", section="Limits"),
    Setting("max-instructions", "count", "steps to execute; 0 is no limit", "max_instructions", section="Limits"),
    Setting("compat", "text", "compat flags by name, or all: ordinary JavaScript", section="Language"),
    *(Setting(name, "flag", _COMPAT_SUMMARIES[name], section="Language") for name in COMPATIBILITY_FLAGS),
    Setting(
        "source-type",
        "choice",
        "how to read the entry; .mjs and .mts are modules",
        "source_type",
        choices=("script", "module"),
        section="Language",
    ),
    Setting("strict-types", "flag", "enforce type annotations at run time", "strict_types", section="Language"),
    Setting(
        "warning-unsupported-features",
        "flag",
        "warn about disabled syntax, do not refuse it",
        "warn_unsupported_features",
        section="Language",
    ),
    Setting("mode", "choice", "how to execute", "mode", choices=("interpreter", "bytecode"), section="Language"),
    Setting("deterministic", "flag", "fixed time, UTC, seeded randomness", "deterministic", section="Language"),
    Setting(
        "unsafe-function-constructor",
        "flag",
        "enable new Function(text)",
        "unsafe_function_constructor",
        section="Language",
    ),
    Setting("unsafe-shadowrealm", "flag", "enable ShadowRealm", "unsafe_shadow_realm", section="Language"),
    Setting("unsafe-ffi", "flag", "enable FFI (not on the embedded engine)", "unsafe_ffi", section="Language"),
    Setting(
        "allowed-host",
        "list",
        "host that fetch may reach",
        "allowed_fetch_hosts",
        config_name="allowed-hosts",
        section="Network",
    ),
    Setting(
        "fetch-deny-private-ranges",
        "flag",
        "refuse private and loopback addresses",
        "deny_private_ranges",
        section="Network",
    ),
    Setting("fetch-max-response-bytes", "count", "largest body of a response", "max_response_bytes", section="Network"),
    Setting("print", "flag", "print the result value", section="Result"),
    Setting("diff", "flag", "print the changes to the files", "include_diff", section="Result"),
    Setting("diff-format", "choice", "form of the diff", "diff_format", choices=("json", "unified"), section="Result"),
    Setting("diff-metadata", "flag", "a diff with changed time stamps", "diff_metadata", section="Result"),
    Setting("diff-output", "text", "write the diff to a host file, do not print it", section="Result"),
)

SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _ALL}

#: options of GocciaSandboxRunner and its sister programs that a run here does not have, and why
ABSENT: dict[str, str] = {
    "stack-size": "the depth of calls is the engine's own",
    "inspect-depth": "console output shows five levels",
    "module": "virtual modules are not part of a run-request; seed a file instead",
    "modules": "virtual modules are not part of a run-request; seed files instead",
    "jobs": "a run is one program",
    "log": "redirect standard output instead",
    "audit-log": "the protocol carries no audit events",
    "multifile": "a run is one program",
    "host-environment": "only --deterministic is offered",
    "imports": "it maps files of the host; use import-map",
    "config": "a configuration file names another one with extends",
}


def setting_named(key: str) -> Setting | None:
    """The setting that a configuration key means, or None."""
    found = SETTINGS.get(key)
    return found or next((setting for setting in _ALL if setting.config_name == key), None)


def run_options(values: Mapping[str, Any], base: RunOptions | None = None) -> RunOptions:
    """RunOptions from setting values by name, over ``base``.

    Raises:
        OptionError: two settings together make no sense, or a flag name is unknown.
        ConfigError: the import map cannot be read.
    """
    fields = {SETTINGS[name].field: value for name, value in values.items() if SETTINGS[name].field}
    flags = {name for name in COMPATIBILITY_FLAGS if values.get(name)}
    if values.get("compat"):
        flags.update(compatibility_flags(values["compat"]))
    if base is not None:
        flags.update(name for name in base.compatibility if values.get(name, True))
    fields["compatibility"] = tuple(flags)
    if values.get("import-map"):
        fields["import_map"] = _read_import_map(Path(values["import-map"]))
    if values.get("diff-metadata") or values.get("diff-output"):
        fields["include_diff"] = True
    return RunOptions.of(base, **{str(name): value for name, value in fields.items()})


def _read_import_map(path: Path) -> dict[str, Any]:
    """The import map in a JSON file of the host; what it says is checked where modules are resolved."""
    data = parse_json(path, read_text(path))
    if not isinstance(data, dict):
        raise ConfigError(f"{path}:1: an import map must be a JSON object")
    return data
