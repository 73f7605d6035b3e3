import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import hypothesis.core  # noqa: F401
import nbformat  # noqa: F401
import pytest
import regex  # noqa: F401
import yaml.cyaml  # noqa: F401

# what is imported before a test runs pytest in this process stays imported for the next one

#: name -> extra arguments; every row of the mixed project holds in all of them
MODES = {"one process": (), "two workers": ("-n", "2"), "two workers, by file": ("-n", "2", "--dist", "loadfile")}


@dataclass
class Run:
    """A finished run of pytest in a process of its own, with its outcomes by node id."""

    status: int
    text: str
    outcomes: dict[str, str]
    cases: dict[str, ElementTree.Element] = field(default_factory=dict)

    def message(self, name: str) -> str:
        """The text of the failure of a test."""
        return "\n".join(part.text or "" for part in self.cases[name] if part.tag in ("failure", "error"))

    def properties(self, name: str) -> dict[str, str]:
        return {item.get("name"): item.get("value") for item in self.cases[name].iter("property")}


def run_pytest(folder: Path, *arguments: str, env=None, timeout=120) -> Run:
    import os

    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    report = folder / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**environment, **(env or {})},
        timeout=timeout,
    )
    outcomes = {}
    for line in done.stdout.partition("short test summary info")[2].split("\n"):
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "ERROR", "XFAIL", "XPASS"):
            outcomes[rest.partition(" - ")[0]] = word
    cases = {}
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            cases[case.get("name")] = case
    return Run(done.returncode, done.stdout + done.stderr, outcomes, cases)


@pytest.fixture
def project(pytester, monkeypatch):
    """An empty project whose tests are run in this process."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makeini("[pytest]\n")
    return Project(pytester)


class Project:
    def __init__(self, pytester):
        self.pytester = pytester
        self.path = pytester.path

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def ini(self, text: str) -> None:
        self.write("pytest.ini", f"[pytest]\n{text}\n")

    def run(self, *arguments: str):
        return self.pytester.runpytest_inprocess(*arguments)

    def ids(self, *arguments: str) -> list[str]:
        """The node ids of a collection, in order."""
        result = self.run("--collect-only", "-q", *arguments)
        return [line for line in result.outlines if "::" in line]
