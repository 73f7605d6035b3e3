"""Every command and code block of the README does what the README says."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

posix_only = pytest.mark.skipif(os.name != "posix", reason="the README's commands are for a POSIX shell")


@dataclass(frozen=True)
class Block:
    language: str
    name: str
    text: str
    line: int


def blocks() -> list[Block]:
    found = []
    for match in re.finditer(r"^```([\w-]+)(?: ([^\n]+))?\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        line = README.count("\n", 0, match.start()) + 1
        found.append(Block(match[1], match[2] or "", match[3], line))
    return found


SET_UP = [block for block in blocks() if block.language == "sh"]
#: tests/magic/test_readme.py runs ipython and output blocks
KNOWN = {"sh", "console", "pycon", "text", "ipython", "output"}


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder with the files that the README shows, and the command line on PATH."""
    for block in blocks():
        if block.name:
            path = tmp_path / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    for name in ("GOCCIA_SANDBOX_RUNNER", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def comparable(text: str) -> list[str]:
    """Lines without what differs from run to run."""
    text = re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "N ms", text)
    return [line.rstrip() for line in text.rstrip().split("\n")]


def test_every_block_is_checked():
    for block in blocks():
        assert block.name or block.language in KNOWN, f"README.md:{block.line}: nothing checks this block"
    assert len(SET_UP) == 2, "two commands do the set-up"


@posix_only
@pytest.mark.parametrize("block", [b for b in blocks() if b.language == "console"], ids=lambda b: f"line-{b.line}")
def test_commands(room, block):
    """Each command prints what stands below it; one shell runs the whole block."""
    steps = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    commands, expected = [], []
    for step in steps:
        command, _, output = step.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += "\n" + more.removeprefix("> ")
        commands.append(command)
        expected.append(comparable(output))
    # the mark between two commands must not change what $? says
    script = "\n".join(f"{command}\n__status=$?; printf '\\001'; (exit $__status)" for command in commands)
    done = subprocess.run(
        ["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100
    )
    outputs = [comparable(text) for text in done.stdout.decode().split("\1")[:-1]]
    assert outputs == expected


def test_python(room):
    """The interpreter sessions, as one."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    text = "\n".join(block.text for block in blocks() if block.language == "pycon")
    test = parser.get_doctest(text, {}, "README.md", "README.md", 0)
    assert test.examples
    report: list[str] = []
    runner.run(test, out=report.append)
    assert not report, "".join(report)


@posix_only
@pytest.mark.timeout(900)
def test_the_command_that_runs_the_main_job(tmp_path):
    """In a copy of what the repository holds, with nothing but a Python."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, timeout=60)
    files = listed.stdout.decode().split("\0")[:-1] if listed.returncode == 0 else []
    for name in files or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]:
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "HOME": str(tmp_path), **_index_settings()}
    done = subprocess.run(
        ["bash", "-ec", SET_UP[0].text], cwd=tmp_path, env=environment, capture_output=True, timeout=800
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b"hello from the sandbox\n"


def _index_settings() -> dict[str, str]:
    """How pip reaches its index here is the machine's business, not the README's."""
    home = Path.home()
    settings = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    for name in (home / ".config/pip/pip.conf", home / ".pip/pip.conf"):
        if name.is_file():
            settings.setdefault("PIP_CONFIG_FILE", str(name))
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        for spelling in (name, name.upper()):
            if spelling in os.environ:
                settings[spelling] = os.environ[spelling]
    return settings


def test_the_command_that_passes_the_tests():
    """It is what .ci/run does, which therefore need not be done again inside of itself."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in ("pip install -q -U 'pip>=25.1'", "pip install -q -e '.[all]' --group dev", "pytest"):
        assert step in SET_UP[1].text
        assert step in script


def test_the_security_sentence_is_there():
    assert "a reduced attack surface, not a verified security boundary" in " ".join(README.split())
