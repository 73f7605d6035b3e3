import os

import pytest

from goccia_tools import Runner, UnavailableError
from goccia_tools.installed import find_runner


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.delenv("GOCCIA_SANDBOX_RUNNER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_an_argument_wins_over_the_variable_and_the_variable_over_the_path(tmp_path, monkeypatch):
    on_path = program(tmp_path / "bin" / "GocciaSandboxRunner")
    assert find_runner() == on_path
    in_variable = program(tmp_path / "elsewhere" / "runner")
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", in_variable)
    assert find_runner() == in_variable
    named = program(tmp_path / "named" / "mine")
    assert find_runner(tmp_path / "named" / "mine") == named


def test_the_path_is_absolute_because_children_start_elsewhere(tmp_path, monkeypatch):
    named = program(tmp_path / "here" / "runner")
    monkeypatch.chdir(tmp_path)
    assert find_runner(os.path.join("here", "runner")) == named


def test_without_one_the_error_says_where_to_get_it_and_how_to_name_it():
    with pytest.raises(UnavailableError) as caught:
        find_runner()
    for word in (
        "GocciaSandboxRunner",
        "PATH",
        "github.com/frostney/GocciaScript",
        "GOCCIA_SANDBOX_RUNNER",
        "--runner",
    ):
        assert word in str(caught.value)


def test_what_is_named_and_is_none_is_told_with_who_named_it(tmp_path, monkeypatch):
    with pytest.raises(UnavailableError, match=r"runner_path names .*nowhere.*there is no such file"):
        find_runner(tmp_path / "nowhere")
    (tmp_path / "text").write_text("no program")
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", str(tmp_path / "text"))
    with pytest.raises(UnavailableError, match=r"GOCCIA_SANDBOX_RUNNER names .*text.* no program that may be executed"):
        find_runner()
    with pytest.raises(UnavailableError, match="no program that may be executed"):
        Runner(engine="goccia", runner_path=tmp_path)
