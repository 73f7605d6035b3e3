"""The child, a straight line: claim stdio, read the request, build the filesystem, load, confine, run, answer, exit."""

from __future__ import annotations

import gc
import posix
import sys

from goccia_tools.child import bounds
from goccia_tools.child.stdio import EndOfInput, Wire
from goccia_tools.frames import FrameError
from goccia_tools.messages import PROTOCOL_VERSION, MessageError, VersionError, read_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

    from goccia_tools.child.bounds import RunResultFields
    from goccia_tools.child.vfs import FileSystem
    from goccia_tools.jail import Prepared

#: Python frames that an engine callback may nest; the engine's own stack limit is met long before
_RECURSION_LIMIT: Final = 12_000
#: what is kept of a dead engine's last words
_STDERR_TAIL_BYTES: Final = 8192


class HostFault(Exception):
    """The run cannot be made, through no doing of the program; the message becomes a host-error."""


class Options:
    """What reaches the child on its command line, not on the wire."""

    __slots__ = ("engine", "jail", "parent", "runner")

    def __init__(self, arguments: list[str]) -> None:
        self.engine = "quickjs"
        self.jail = "auto"
        self.runner = ""
        self.parent = 0
        values = iter(arguments)
        for name in values:
            value = next(values, None)
            if name not in ("--engine", "--jail", "--runner", "--parent") or value is None:
                raise HostFault(f"the child does not know the option {name}")
            setattr(self, name[2:], int(value) if name == "--parent" and value.isdigit() else value)
        if self.engine not in ("quickjs", "goccia"):
            raise HostFault(f'--engine must be quickjs or goccia, not "{self.engine}"')
        if self.jail not in ("auto", "required", "off"):
            raise HostFault(f'--jail must be auto, required or off, not "{self.jail}"')


class Ready:
    """What a process that was forked has from before: an engine, and the jail's parts by profile."""

    __slots__ = ("engine", "jails")

    def __init__(self, engine: Any = None, jails: dict[str, Prepared] | None = None) -> None:
        self.engine = engine
        self.jails = jails


def main(arguments: list[str] | None = None, ready: Ready | None = None) -> None:
    """Speak the protocol once on the standard streams; never returns."""
    wire = Wire.claim()
    try:
        payload = wire.read_payload()
    except EndOfInput:
        posix._exit(1)
    except FrameError as error:
        frame = bounds.result_frame(_host_error(f"the request is a {error}"))
    else:
        from goccia_tools.child.engines import Crashed

        try:
            frame = _answer(payload, sys.argv[1:] if arguments is None else arguments, wire.output_fd, ready or Ready())
        except Crashed as crash:
            _die_alike(crash.status, crash.stderr)
    wire.write(frame)
    posix._exit(0)


def _answer(payload: bytearray, arguments: list[str], output_fd: int, ready: Ready) -> bytes:
    """The frame of a request's run-result; every fault of the host is one too."""
    asked_diff: list[bool] = []
    try:
        sys.setrecursionlimit(_RECURSION_LIMIT)
        options = Options(arguments)
        if options.parent:
            from goccia_tools.child.parent import die_with_parent

            die_with_parent(options.parent)
        request = decode_request(payload)
        asked_diff.append(request["run"]["includeDiff"])
        return bounds.result_frame(run_request(request, options, output_fd, ready))
    except HostFault as fault:
        fields = _host_error(str(fault))
    except MemoryError:
        # the memory of what failed is free again only when the exception is gone
        return bounds.MEMORY_FRAMES[bool(asked_diff and asked_diff[0])]
    except Exception as error:
        fields = _host_error(f"{type(error).__name__}: {error}")
    fields.diff_requested = bool(asked_diff and asked_diff[0])
    return bounds.result_frame(fields)


def _die_alike(status: int, stderr: str) -> NoReturn:
    """End as the engine's own process did, so that whoever watches this one sees the truth."""
    import _signal  # type: ignore[import-not-found]  # what signal is made of, without its enums
    import resource

    posix.write(2, stderr.encode("utf-8", "replace")[-_STDERR_TAIL_BYTES:])
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status not in (_signal.SIGKILL, _signal.SIGSTOP):
            _signal.signal(-status, _signal.SIG_DFL)
        posix.kill(posix.getpid(), -status)
    posix._exit(max(status, 1))


def _host_error(message: str) -> RunResultFields:
    return bounds.RunResultFields("host-error", error_message=message, error_output=message + "\n")


def decode_request(payload: bytes | bytearray) -> dict[str, Any]:
    """The validated run-request of a payload.

    Raises:
        HostFault: it is no request this child can honour; says which member and why.
    """
    from goccia_tools.child.jsontext import JsonError, loads

    try:
        return read_request(loads(payload))
    except JsonError as error:
        raise HostFault(f"the run-request is not JSON: {error}") from None
    except VersionError as error:
        raise HostFault(
            f"the run-request has protocol version {error.version!r}, this child speaks {PROTOCOL_VERSION}"
        ) from None
    except MessageError as error:
        raise HostFault(f"run-request: {error.member} {error.problem}") from None


def build_filesystem(request: dict[str, Any]) -> FileSystem:
    """The baseline as a filesystem within the request's quotas.

    Raises:
        HostFault: an entry is malformed, lies twice or in a file, or the baseline is over a quota.
    """
    from binascii import Error as Base64Error
    from binascii import a2b_base64

    from goccia_tools.child.vfs import FileSystem, FsError, normalise

    execution = request["execution"]
    files = FileSystem(execution["fsQuotaBytes"], execution["fsNodeLimit"])
    for entry in request["baseline"]["files"]:
        try:
            path = normalise(entry["path"])
            if entry["kind"] == "dir":
                files.mkdir(path, recursive=True)
                continue
            if files.is_file(path):
                raise HostFault(f'baseline: "{path}" is there twice')
            folder = path.rpartition("/")[0]
            if folder:
                files.mkdir(folder, recursive=True)
            files.write(path, a2b_base64(entry["base64"].encode("ascii"), strict_mode=True))
        except FsError as error:
            raise HostFault(f'baseline: "{entry["path"]}": {error.code}: {error}') from None
        except (Base64Error, UnicodeEncodeError) as error:
            raise HostFault(f'baseline: "{entry["path"]}" is not base64: {error}') from None
    return files


def run_request(request: dict[str, Any], options: Options, output_fd: int, ready: Ready) -> RunResultFields:
    """Run a validated request, confined to this process's memory and the descriptor its result goes to.

    Raises:
        HostFault: the request or an option cannot be honoured.
    """
    run = request["run"]
    for member, refused in (
        ("run.isolated", not run["isolated"]),
        ("capabilities.hostFilesystemLoading", request["capabilities"]["hostFilesystemLoading"]),
    ):
        if refused:
            raise HostFault(f"{member}: this runner never shares files with the host")
    files = build_filesystem(request)
    engine = ready.engine or load_engine(options)
    from goccia_tools.child.engines import Refused

    try:
        engine.check(request)
    except Refused as refused:
        raise HostFault(f"the request cannot be honoured: {refused}") from None
    before = None
    if run["includeDiff"]:
        from goccia_tools.child import diff

        before = diff.capture(files)
    output = bounds.BoundedText()
    if options.engine == "goccia":
        if options.jail == "required":
            raise HostFault("the jail cannot be had: the goccia engine runs GocciaSandboxRunner, which is not confined")
    elif options.jail != "off":
        from goccia_tools.child.confine import confine
        from goccia_tools.jail import JailIncomplete

        try:
            confine(request, files, options.jail, output_fd, ready.jails)
        except JailIncomplete as lack:
            raise HostFault(str(lack)) from None
    # what is there now stays; only what the program causes is worth collecting
    gc.freeze()
    gc.enable()
    try:
        outcome = engine.run(request, files, output.add)
    except Refused as refused:
        raise HostFault(str(refused)) from None
    return bounds.RunResultFields(
        outcome.failure_kind,
        error_message=outcome.error_text,
        output=output.text(),
        error_output=outcome.stderr,
        value_json=outcome.value_json,
        diff_requested=run["includeDiff"],
        diff=None if before is None else outcome.diff if outcome.diff is not None else _diff(before, files, run),
    )


def _diff(before: Any, files: FileSystem, run: dict[str, Any]) -> str:
    from goccia_tools.child import diff

    if run["diffFormat"] == "unified":
        return diff.unified_diff(before, files, metadata=run["diffMetadata"])
    return diff.json_diff(before, files, metadata=run["diffMetadata"], budget_bytes=bounds.DIFF_BYTES)


def load_engine(options: Options) -> Any:
    """The engine of the options, ready to run.

    Raises:
        HostFault: it is not available here.
    """
    if options.engine == "goccia":
        from goccia_tools.child.engines.goccia import Goccia

        return Goccia(options.runner)
    from goccia_tools.child.engines._quickjs.library import EngineUnavailable
    from goccia_tools.child.engines.quickjs import QuickJS

    engine = QuickJS()
    try:
        engine.prepare()
    except EngineUnavailable as error:
        raise HostFault(str(error)) from None
    return engine
