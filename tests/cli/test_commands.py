import subprocess
import sys

import pytest

from goccia_tools.cli import COMMANDS

HEAVY = {
    "rich",
    "IPython",
    "pytest",
    "sqlalchemy",
    "jinja2",
    "dask",
    "json5",
    "tomllib",
    "ruamel",
    "asyncio",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(goccia, name):
    done = goccia(name, "--help")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: goccia-tools {name}")


def test_help_and_version(goccia):
    done = goccia("--help")
    assert done.status == 0
    for name, (_, summary) in COMMANDS.items():
        assert name in done.stdout
        assert summary in done.stdout
    assert goccia("-h").stdout == done.stdout
    assert goccia("--version").stdout.startswith("goccia-tools 0.")


def test_a_file_in_place_of_a_command(goccia, folder):
    (folder / "hello.js").write_text("1;")
    done = goccia("hello.js")
    assert done.status == 2
    assert 'no such command "hello.js"; did you mean goccia-tools run hello.js?' in done.stderr


def test_a_command_imports_nothing_it_does_not_need():
    source = "import sys, goccia_tools.cli.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", source], capture_output=True, timeout=60, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.decode().split()}
    assert not loaded & HEAVY
