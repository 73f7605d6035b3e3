"""The run-request on its way out: built from options and seeds, or checked when somebody else built it, and encoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import orjson

from .baseline import NO_QUOTA, Seed, Seeds, materialise, sandbox_path
from .errors import OptionError, SeedError
from .frames import MAX_FRAME_BYTES
from .messages import PROTOCOL_VERSION, MessageError, VersionError, read_request
from .options import RunOptions


class RequestError(Exception):
    """A request that no child can be started for; the text is the run's error message (a host-error)."""


def build_request(
    source: str | bytes | PathLike[str] | None, entry: str, seeds: Seeds | None, options: RunOptions
) -> dict[str, Any]:
    """The run-request of a program and its files.

    Raises:
        OptionError: the entry is not a path.
        SeedError: a seed, or the source, cannot become a file of the sandbox.
    """
    if not isinstance(entry, str):
        raise OptionError(f"entry must be a string, the sandbox path of the program, not {type(entry).__name__}")
    if not entry:
        raise OptionError("entry must be the sandbox path of the program; it is empty")
    files = materialise(
        _with_source(source, entry, seeds), quota_bytes=options.fs_quota_bytes, node_limit=options.fs_node_limit
    )
    return {
        "type": "run-request",
        "v": PROTOCOL_VERSION,
        **options.to_wire(),
        "baseline": {"files": files},
        "entry": entry,
    }


def _with_source(source: str | bytes | PathLike[str] | None, entry: str, seeds: Seeds | None) -> Seeds | None:
    if source is None:
        return seeds
    program = Seed(entry, source)
    if seeds is None:
        return [program]
    if isinstance(seeds, Mapping):
        seeds = [Seed(path, content) for path, content in seeds.items()]
    return [*seeds, program] if isinstance(seeds, Iterable) else seeds


def check_request(message: object) -> dict[str, Any]:
    """A complete run-request from one that somebody else built; what is missing takes its default.

    Raises:
        RequestError: a member is wrong or asks for what cannot be had.
    """
    try:
        request = read_request(message)
    except VersionError as error:
        raise RequestError(
            f"protocol version mismatch: this parent speaks version {PROTOCOL_VERSION},"
            f" the request is in version {error.version!r}"
        ) from None
    except MessageError as error:
        raise RequestError(f"the run-request is wrong: {error}") from None
    if not request["run"]["isolated"]:
        raise RequestError("run.isolated: false is refused; every run here has a process of its own")
    if request["capabilities"]["hostFilesystemLoading"]:
        raise RequestError("capabilities.hostFilesystemLoading: true is refused; a run never reaches the host's files")
    _check_quotas(request)
    return request


def _check_quotas(request: dict[str, Any]) -> None:
    limit_bytes = request["execution"]["fsQuotaBytes"] or NO_QUOTA
    node_limit = request["execution"]["fsNodeLimit"] or NO_QUOTA
    total_bytes = 0
    nodes: set[str] = set()
    for file in request["baseline"]["files"]:
        if file["kind"] == "file":
            text = file["base64"]
            total_bytes += len(text) * 3 // 4 - text[-2:].count("=")
        try:
            path = sandbox_path(file["path"])
        except SeedError as error:
            raise RequestError(f"the run-request is wrong: {error}") from None
        while path not in nodes and path != "/":
            nodes.add(path)
            path = path.rpartition("/")[0] or "/"
    if total_bytes > limit_bytes:
        raise RequestError(
            f"the baseline holds {total_bytes} bytes, {total_bytes - limit_bytes} more than"
            f" execution.fsQuotaBytes allows ({limit_bytes})"
        )
    if len(nodes) > node_limit:
        raise RequestError(
            f"the baseline holds {len(nodes)} files and folders, {len(nodes) - node_limit} more than"
            f" execution.fsNodeLimit allows ({node_limit})"
        )


def encode_request(request: dict[str, Any]) -> bytes:
    """The payload of a run-request, checked as a whole against the frame limit before any child exists (C13).

    Raises:
        RequestError: it is over the limit, or holds something JSON cannot say.
    """
    try:
        payload = _dumps(request)
    except TypeError as error:
        raise RequestError(f"the run-request cannot be written as JSON: {error}") from None
    if len(payload) > MAX_FRAME_BYTES:
        raise RequestError(
            f"the run-request is {len(payload)} bytes long, {len(payload) - MAX_FRAME_BYTES} more than"
            f" a frame may have ({MAX_FRAME_BYTES}); {_largest(request)}"
        )
    return payload


def _dumps(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # lone surrogates have no UTF-8; the second attempt says what else is wrong
        return orjson.dumps(_well_formed(value))


def _well_formed(value: object) -> object:
    """The same value with U+FFFD in place of every lone surrogate."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_well_formed(name): _well_formed(item) for name, item in value.items()}
        case list() | tuple():
            return [_well_formed(item) for item in value]
        case _:
            return value


def _largest(request: dict[str, Any]) -> str:
    """Which part makes a request too large, in words."""
    sizes = {name: len(_dumps(part)) for name, part in request.items()}
    name = max(sizes, key=sizes.__getitem__)
    return f"its largest part is {name} with {sizes[name]} bytes"
