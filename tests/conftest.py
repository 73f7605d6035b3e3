"""Options of the whole test run: the report on the protocol's clauses, and the long form of the endurance test."""

import sys
import tomllib
from pathlib import Path

import pytest

CLAUSES = tomllib.loads((Path(__file__).parent / "adr_clauses.toml").read_text("utf-8"))


def pytest_addoption(parser):
    group = parser.getgroup("goccia-tools")
    group.addoption(
        "--adr-report",
        action="store_true",
        help="instead of running tests, list every clause of the protocol with the tests that prove it; "
        "fail when a clause has none",
    )
    group.addoption("--endurance", action="store_true", help="run the endurance tests at full length")


def pytest_configure(config):
    if config.getoption("--adr-report"):
        config.option.collectonly = True
        config.option.verbose = min(config.option.verbose, -2)
        config.pluginmanager.register(AdrReport(), "adr-report")


def pytest_collection_modifyitems(items):
    for item in items:
        for clause in clauses_of(item):
            if clause not in CLAUSES:
                raise pytest.UsageError(f'{item.nodeid}: there is no clause "{clause}" in tests/adr_clauses.toml')


def clauses_of(item):
    return [clause for mark in item.iter_markers("adr") for clause in mark.args]


class AdrReport:
    """Clause by clause: its words, its tests, and what is missing."""

    def __init__(self):
        self.tests = {name: {} for name in CLAUSES}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        for item in session.items:
            for clause in clauses_of(item):
                # one line for all parameters of a test
                self.tests[clause].setdefault(item.nodeid.partition("[")[0], []).append(item.nodeid)

    def missing(self):
        return [name for name, clause in CLAUSES.items() if not self.tests[name] and "open" not in clause]

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK and self.missing():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)

    def pytest_terminal_summary(self, terminalreporter):
        write = terminalreporter.write_line
        for name, clause in CLAUSES.items():
            write(f"{name} {clause['says']}", bold=True)
            for test, items in sorted(self.tests[name].items()):
                write(f"    {test}" + (f" ({len(items)} cases)" if len(items) > 1 else ""))
            if not self.tests[name]:
                if "open" in clause:
                    write(f"    open: {clause['open']}", yellow=True)
                else:
                    write("    no test proves this clause", red=True)
        proven = sum(bool(tests) for tests in self.tests.values())
        still_open = sum(not self.tests[name] and "open" in clause for name, clause in CLAUSES.items())
        missing = self.missing()
        write(f"{proven} of {len(CLAUSES)} clauses have tests; {still_open} open, {len(missing)} missing")
        if missing:
            write(f"missing: {', '.join(missing)}", red=True)


@pytest.fixture(scope="session")
def make_runner(tmp_path_factory):
    """Makes a GocciaSandboxRunner, by default one that honours the real one's command line; gives its path."""
    honest = f"import runpy; runpy.run_path({str(Path(__file__).parent / 'standin.py')!r}, run_name='__main__')"

    def make(body=honest):
        path = tmp_path_factory.mktemp("runner") / "GocciaSandboxRunner"
        path.write_text(f"#!{sys.executable}\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture(scope="session")
def standin_runner(make_runner):
    """The path of a GocciaSandboxRunner with the embedded engine behind it."""
    return make_runner()
