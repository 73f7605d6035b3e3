import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from goccia_tools.cli import run_command_line


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder of a command line, empty and with no configuration file above it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def goccia(folder, capfd):
    """Runs one command line in this process, which is quick."""

    def goccia(*arguments: object) -> Done:
        status = run_command_line([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return goccia


@pytest.fixture
def process(folder):
    """Starts one command line as a process of its own, as a shell does."""

    def process(*arguments: object, prefix=(), **keywords) -> subprocess.Popen:
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
        environment.update(keywords.pop("env", {}))
        settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
        command = [*prefix, sys.executable, "-m", "goccia_tools", *map(str, arguments)]
        return subprocess.Popen(command, env=environment, **settings)

    return process
