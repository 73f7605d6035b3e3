"""The pytest plugin: collects `*.sandbox.js` files. It imports nothing but pytest until there is such a file."""

from __future__ import annotations

import fnmatch
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .fixture import Sandbox

SUFFIX = ".sandbox.js"
CHOICES = {
    "engine": ("quickjs", "goccia", "both"),
    "launcher": ("auto", "spawn", "fork-server"),
    "jail": ("auto", "required", "off"),
}
#: setting -> (type of the ini value, help); --sandbox-NAME on the command line
SETTINGS: dict[str, tuple[Any, str]] = {
    "timeout_ms": ("string", "time limit in milliseconds of sandbox tests that say no other"),
    "engine": ("string", f"engine of sandbox tests: {', '.join(CHOICES['engine'])}"),
    "runner": ("string", "the GocciaSandboxRunner of the engine goccia; else GOCCIA_SANDBOX_RUNNER or PATH names it"),
    "launcher": ("string", f"how sandbox tests start their child: {', '.join(CHOICES['launcher'])}"),
    "jail": ("string", f"confinement of sandbox tests by the operating system: {', '.join(CHOICES['jail'])}"),
    "default_options": ("string", "options of sandbox tests that say no other: timeoutMs=500, compatibility=all"),
    "files": ("args", f"patterns of the *{SUFFIX} files to collect; empty to collect none"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sandbox", "JavaScript sandbox tests (*.sandbox.js)")
    for name, (kind, summary) in SETTINGS.items():
        action = {"action": "append"} if name == "files" else {}
        option = f"--sandbox-{name.replace('_', '-')}"
        group.addoption(option, dest=f"sandbox_{name}", default=None, metavar=name.upper(), help=summary, **action)
        default = [f"*{SUFFIX}"] if name == "files" else ""
        parser.addini(f"sandbox_{name}", summary, type=kind, default=default)
    update = {"dest": "sandbox_update_mode", "action": "store_const", "default": None}
    group.addoption("--sandbox-update", const="all", help="rewrite expectations that are not met", **update)
    group.addoption(
        "--sandbox-update-new", const="new", help="write an expectation into tests that have none", **update
    )
    group.addoption(
        "--sandbox-notebooks",
        action="store_true",
        default=None,
        help="collect the %%sandbox cells of notebooks (*.ipynb) and compare them with their stored outputs",
    )
    parser.addini("sandbox_notebooks", "collect the cells of notebooks as --sandbox-notebooks does", "bool", False)
    group.addoption("--sandbox-update-force", action="store_true", help="update even where CI is set")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from . import hooks

    pluginmanager.add_hookspecs(hooks)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sandbox: a JavaScript sandbox test; every case of a *.sandbox.js file has it")
    if any(
        config.getoption(f"sandbox_{name}") or config.getini(f"sandbox_{name}") for name in SETTINGS if name != "files"
    ):
        from .settings import read_settings

        read_settings(config)
    if _notebooks(config) and find_spec("nbformat") is None:
        raise pytest.UsageError("--sandbox-notebooks needs nbformat: pip install 'goccia-tools[notebook]'")
    if config.getoption("sandbox_update_mode") is None:
        return
    from goccia_tools.cases.conditions import in_ci

    if in_ci() and not config.getoption("sandbox_update_force"):
        raise pytest.UsageError(
            "--sandbox-update rewrites test files, which is refused where CI is set; --sandbox-update-force does it"
        )
    if not hasattr(config, "workerinput"):  # under xdist the workers run the tests and one process writes
        from .updates import Updates

        config.pluginmanager.register(Updates(), "sandbox-updates")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if (config.getoption("sandbox_engine") or config.getini("sandbox_engine")) == "both":
        from .engines import summarise

        summarise(terminalreporter)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    collector: pytest.Collector
    if file_path.suffix == ".ipynb" and _notebooks(parent.config) and not _foreign(file_path, parent.config):
        from .notebooks import NotebookFile

        collector = NotebookFile.from_parent(parent, path=file_path)
        return collector
    if not file_path.name.endswith(SUFFIX) or not _wanted(file_path, parent.config):
        return None
    from .items import SandboxFile

    collector = SandboxFile.from_parent(parent, path=file_path)
    return collector


def _notebooks(config: pytest.Config) -> bool:
    return bool(config.getoption("sandbox_notebooks") or config.getini("sandbox_notebooks"))


def _foreign(path: Path, config: pytest.Config) -> bool:
    """Whether a file is of a package that somebody installed, or a copy that Jupyter keeps."""
    inside = path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path
    return bool({"node_modules", ".ipynb_checkpoints"}.intersection(inside.parts))


def _wanted(path: Path, config: pytest.Config) -> bool:
    """Whether a file is a test: not a fixture of one, not of a package somebody installed, and of the wanted names."""
    if path.name.endswith(("_FIXTURE.js", f"_FIXTURE{SUFFIX}")):
        return False
    inside = path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path
    if _foreign(path, config):
        return False
    patterns = config.getoption("sandbox_files") or config.getini("sandbox_files")
    shown = inside.as_posix()
    return any(fnmatch.fnmatchcase(path.name, pattern) or fnmatch.fnmatchcase(shown, pattern) for pattern in patterns)


@pytest.fixture(scope="session")
def sandbox(pytestconfig: pytest.Config) -> Sandbox:
    """Runs JavaScript in a fresh child process: ``sandbox.run(text, files=…, timeout_ms=…)`` gives a RunResult."""
    from .fixture import Sandbox
    from .session import sandbox_session

    return Sandbox(sandbox_session(pytestconfig))


def pytest_assertrepr_compare(config: pytest.Config, op: str, left: object, right: object) -> list[str] | None:
    if op != "==" or "goccia_tools.result" not in sys.modules:
        return None
    from .fixture import explain_comparison

    return explain_comparison(left, right)
