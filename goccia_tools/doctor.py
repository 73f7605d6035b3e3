"""Doctor: what this installation and this machine offer, as findings, and one program run to prove it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from .errors import GocciaError, UnavailableError
from .installed import PROGRAM as RUNNER_PROGRAM
from .installed import VARIABLE, find_runner
from .launch.spawn import SpawnLauncher
from .runner import Runner

#: extra -> the module that tells whether it is installed
EXTRAS = {"pytest": "pytest", "notebook": "IPython", "grading": "sqlalchemy", "dask": "distributed"}

#: exercises parser, modules, files, promises and the result in one go
PROGRAM = """import fs from "fs";
fs.writeFileSync("/answer.txt", "forty-two");
const length = await Promise.resolve(fs.readFileSync("/answer.txt", "utf8").length);
console.log("hello from the sandbox");
length;
"""

#: what tells which GocciaScript a runner is
VERSION_PROGRAM = "`${Goccia.version} (${Goccia.commit})`;"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ``absent`` is something optional that is not there; ``broken`` means runs will fail."""

    subject: str
    state: Literal["ok", "absent", "broken"]
    detail: str


def examine() -> Iterator[Finding]:
    """Findings as they are made, cheap ones first; no finding raises."""
    yield Finding("goccia-tools", "ok", f"{_version('goccia-tools')} in {Path(__file__).parent}")
    yield Finding("python", "ok", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}")
    yield Finding("machine", "ok", _machine())
    yield _embedded_engine()
    yield _reference_runner()
    yield from _extras()
    yield _run("spawn", PROGRAM)
    yield _run("fork-server", PROGRAM)
    yield from _jail()


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "(not installed as a package)"


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    text = f"{platform.system()} {platform.release()}, {platform.machine()}, {cores} cores"
    if sys.platform != "win32":
        text += f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB of memory"
    return text


def _embedded_engine() -> Finding:
    return Finding("engine quickjs", "ok", f"quickjs-ng {_version('quickjs-ng')}")


def _reference_runner() -> Finding:
    subject = "engine goccia"
    try:
        path = find_runner()
    except UnavailableError as error:
        named = os.environ.get(VARIABLE)
        advice = f"no {RUNNER_PROGRAM} on PATH; {VARIABLE} or --runner can name one"
        return Finding(subject, "broken" if named else "absent", str(error) if named else advice)
    with Runner(engine="goccia", runner_path=path) as runner:
        result = runner.run(VERSION_PROGRAM)
    if not result.ok or not isinstance(result.result_value, str):
        what = result.error_message.splitlines() or [str(result.failure_kind)]
        return Finding(subject, "broken", f"{path} is no {RUNNER_PROGRAM} that runs programs: {what[0]}")
    return Finding(subject, "ok", f"GocciaScript {result.result_value} at {path}, not confined")


def _extras() -> Iterator[Finding]:
    for extra, module in EXTRAS.items():
        if find_spec(module) is None:
            yield Finding(f"extra {extra}", "absent", f"pip install 'goccia-tools[{extra}]'")
        else:
            yield Finding(f"extra {extra}", "ok", "installed")


def _jail() -> Iterator[Finding]:
    """What a child was confined to when it was tried just now, for a program without and one with a network."""
    launcher = SpawnLauncher()
    for profile in ("stdio", "fetch"):
        report = launcher.jail_report(profile)
        if report is None:
            yield Finding(f"jail {profile}", "absent", "a process that tries the jail cannot be started here")
        else:
            held = report.partition(": ")[2]
            yield Finding(f"jail {profile}", "absent" if "; not applied: " in report else "ok", held)


def _run(launcher: Literal["spawn", "fork-server"], program: str) -> Finding:
    subject = f"launcher {launcher}"
    try:
        with Runner(launcher=launcher) as runner:
            runner.run(program)
            result = runner.run(program)
    except GocciaError as error:
        return Finding(subject, "absent" if launcher == "fork-server" else "broken", str(error))
    if not result.ok:
        return Finding(subject, "broken", f"{result.failure_kind}: {result.error_message}")
    if (result.output, result.result_value) != ("hello from the sandbox\n", 9):
        return Finding(subject, "broken", f"printed {result.output!r} and ended with {result.result_value!r}")
    return Finding(subject, "ok", f"ran a program in {result.duration_ms:.0f} ms")
