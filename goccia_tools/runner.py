"""Runner: the door to a run; it composes the modules that know how."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, Literal, Self

from .baseline import Seeds
from .classify import classify, host_error
from .errors import OptionError, UnavailableError, nearest
from .exchange import GRACE_MS, START_UP_MS, Timing, exchange
from .installed import find_runner
from .inthreads import in_threads
from .launch import Launcher, LaunchError, TemplateUnavailable
from .launch.auto import AutoLauncher, fork_server
from .launch.spawn import SpawnLauncher
from .options import RunOptions
from .request import RequestError, build_request, check_request, encode_request
from .result import RunResult

Source = str | bytes | PathLike[str]

ENGINES = ("quickjs", "goccia")
LAUNCHERS = ("auto", "spawn", "fork-server")
JAILS = ("auto", "required", "off")


class Runner:
    """Runs programs, each in a fresh child process. Usable from any number of threads at once.

    ``engine`` is ``"quickjs"`` (built in) or ``"goccia"`` (an installed GocciaSandboxRunner: at ``runner_path``, else
    where ``GOCCIA_SANDBOX_RUNNER`` says, else on ``PATH``; it is not confined). ``launcher`` says how children are
    made, ``jail`` what the operating system confines them to. A child that has not answered ``grace_ms`` after its
    program's own ``timeout_ms`` is killed; ``start_up_ms`` is what it has before, to start and take its request.
    ``child_command`` runs any other program as the child instead.

    Use it as a context manager, or call :meth:`close`.

    Raises:
        OptionError: an argument has a value it cannot have.
        UnavailableError: what was asked for by name does not exist here.
    """

    def __init__(
        self,
        *,
        engine: Literal["quickjs", "goccia"] = "quickjs",
        launcher: Literal["auto", "spawn", "fork-server"] = "auto",
        jail: Literal["auto", "required", "off"] = "auto",
        grace_ms: int = GRACE_MS,
        start_up_ms: int = START_UP_MS,
        child_command: Sequence[str] | None = None,
        runner_path: str | PathLike[str] | None = None,
    ) -> None:
        _choice("engine", engine, ENGINES)
        _choice("launcher", launcher, LAUNCHERS)
        _choice("jail", jail, JAILS)
        self._grace_ms = _span("grace_ms", grace_ms)
        self._start_up_ms = _span("start_up_ms", start_up_ms)
        if runner_path is not None and engine != "goccia":
            raise OptionError('runner_path is the path of a GocciaSandboxRunner; it needs engine="goccia"')
        self._engine = engine
        self._jail = jail
        options: tuple[str, ...] = ("--engine", engine, "--jail", jail)
        if engine == "goccia":
            options += ("--runner", find_runner(runner_path))
        self._confines = child_command is None
        self._launcher: Launcher | None
        if child_command is not None:
            self._launcher = SpawnLauncher(_command(child_command))
        elif launcher == "spawn":
            self._launcher = SpawnLauncher(child_options=options)
        elif launcher == "fork-server":
            self._launcher = _fork_server(options)
        else:
            self._launcher = AutoLauncher(options)

    def run(
        self,
        source: Source | None = None,
        *,
        entry: str = "/main.js",
        seeds: Seeds | None = None,
        options: RunOptions | None = None,
        **fields: Any,
    ) -> RunResult:
        """Run one program and return what came of it; whatever the program does, this returns.

        ``source`` (text, bytes, or a host file as ``pathlib.Path``) becomes the file ``entry``; without it ``entry``
        is one of the ``seeds``: a mapping of sandbox path to text, bytes, ``pathlib.Path`` or None (a directory), or
        Seed objects. ``fields`` are fields of :class:`RunOptions` by name and win over ``options``.

        Raises:
            OptionError: an option, or the entry, is not what it must be.
            SeedError: a seed cannot become a file of the sandbox.
        """
        return self._run(self.request(source, entry=entry, seeds=seeds, options=options, **fields), None)

    def request(
        self,
        source: Source | None = None,
        *,
        entry: str = "/main.js",
        seeds: Seeds | None = None,
        options: RunOptions | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """The run-request that :meth:`run` would send, for :meth:`run_many` or to keep. Raises what ``run`` does."""
        if options is not None and not isinstance(options, RunOptions):
            raise OptionError(f"options must be RunOptions, not {type(options).__name__}")
        return build_request(source, entry, seeds, RunOptions.of(options, **fields))

    def run_request(self, request: object) -> RunResult:
        """Run a run-request in the form of the wire; a wrong member is a host-error that names it, not an exception."""
        return self._check_and_run(request, None)

    def run_many(self, requests: Iterable[object], *, jobs: int | None = None) -> Iterator[tuple[int, RunResult]]:
        """Run requests, ``jobs`` at a time (one for each processor), and yield ``(index, result)`` as they complete.

        Requests are taken from the iterable only when there is room. Whoever stops early (``break``, an exception,
        Ctrl-C) stops the runs under way; their children are gone when the iterator is.
        """
        jobs = _processors() if jobs is None else jobs
        if type(jobs) is not int or jobs < 1:
            raise OptionError(f"jobs must be a whole number from 1, not {jobs!r}")
        return in_threads(self._check_and_run, requests, jobs)

    def close(self) -> None:
        """Give up what is kept between runs. A closed Runner refuses new runs; those under way still end."""
        launcher, self._launcher = self._launcher, None
        if launcher is not None:
            launcher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_and_run(self, message: object, stop: int | None) -> RunResult:
        try:
            request = check_request(message)
        except RequestError as error:
            return host_error(str(error))
        return self._run(request, stop)

    def _run(self, request: dict[str, Any], stop: int | None) -> RunResult:
        launcher = self._launcher
        if launcher is None:
            raise RuntimeError("this Runner is closed")
        started_at = monotonic()
        diff_requested: bool = request["run"]["includeDiff"]
        timing = Timing(request["execution"]["timeoutMs"], self._grace_ms, self._start_up_ms)
        try:
            payload = encode_request(request)
            child = launcher.start()
        except (RequestError, LaunchError) as error:
            result = replace(host_error(str(error)), diff_requested=diff_requested)
        else:
            result = classify(exchange(child, payload, timing, stop), diff_requested=diff_requested)
            result = replace(result, notes=(*child.notes, *result.notes, *self._jail_notes(launcher, request)))
        return replace(result, duration_ms=(monotonic() - started_at) * 1000)

    def _jail_notes(self, launcher: Launcher, request: dict[str, Any]) -> tuple[str, ...]:
        """What the child was confined to, as far as that can be told from here."""
        if self._engine == "goccia" and self._confines:
            return ("jail off: GocciaSandboxRunner is not confined",)
        report = launcher.jail_report("fetch" if request["capabilities"]["allowedFetchHosts"] else "stdio")
        if report is None:
            return ()
        return ("jail off",) if self._jail == "off" else (f"{report} (probed)",)


def _fork_server(options: tuple[str, ...]) -> Launcher:
    try:
        return fork_server(options)
    except TemplateUnavailable as error:
        raise UnavailableError(f'launcher="fork-server": {error}; use "auto" or "spawn"') from None


def _choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = nearest(value, choices) if isinstance(value, str) else ""
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}{hint}")


def _span(name: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise OptionError(f"{name} must be a whole number of milliseconds from 0, not {value!r}")
    return value


def _command(command: object) -> tuple[str, ...]:
    if isinstance(command, (str, bytes)) or not isinstance(command, Sequence):
        raise OptionError(f"child_command must be a sequence of strings (program, arguments), not {command!r}")
    if not command or not all(isinstance(part, str) for part in command):
        raise OptionError(f"child_command must hold at least a program, and only strings, not {command!r}")
    return tuple(command)


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_default_lock = Lock()
_default: Runner | None = None


def run(
    source: Source | None = None,
    *,
    entry: str = "/main.js",
    seeds: Seeds | None = None,
    options: RunOptions | None = None,
    **fields: Any,
) -> RunResult:
    """:meth:`Runner.run` on a Runner with the default settings, which lives as long as this program."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Runner()
    return _default.run(source, entry=entry, seeds=seeds, options=options, **fields)
