import json
import sys

import pytest

from goccia_tools.doctor import EXTRAS


@pytest.fixture(autouse=True)
def no_reference(monkeypatch):
    monkeypatch.delenv("GOCCIA_SANDBOX_RUNNER", raising=False)


def findings(goccia, status) -> dict[str, dict]:
    done = goccia("doctor", "--json")
    assert (done.status, done.stderr) == (status, "")
    return {finding["subject"]: finding for finding in json.loads(done.stdout)}


def test_all_is_well(goccia):
    done = goccia("doctor")
    assert done.status == 0
    assert done.stderr == "goccia-tools: all is well\n"
    assert "\x1b" not in done.stdout
    assert any(
        line.startswith("ok  launcher spawn") and "ran a program in" in line for line in done.stdout.splitlines()
    )


def test_json(goccia):
    found = findings(goccia, 0)
    assert found["engine quickjs"]["state"] == "ok"
    assert {f"extra {name}" for name in EXTRAS} <= set(found)
    assert found["launcher spawn"]["state"] == "ok"
    if sys.platform == "linux":
        assert found["launcher fork-server"]["state"] == "ok"
        assert found["jail stdio"]["detail"].startswith("code pages, privileges, rlimits, ")


def test_a_named_runner_that_is_none_is_broken(goccia, monkeypatch, folder):
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", str(folder / "nowhere"))
    assert "there is no such file" in findings(goccia, 6)["engine goccia"]["detail"]
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", "/bin/echo")
    done = goccia("doctor")
    assert done.status == 6
    assert "NO  engine goccia" in done.stdout
    assert done.stderr == "goccia-tools: not well: engine goccia\n"


def test_without_a_reference_runner_all_may_be_well(goccia, monkeypatch, folder):
    monkeypatch.setenv("PATH", str(folder))
    assert findings(goccia, 0)["engine goccia"]["state"] == "absent"


def test_an_installed_runner_is_told_with_its_version_and_that_it_is_not_confined(goccia, monkeypatch, standin_runner):
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", standin_runner)
    found = findings(goccia, 0)["engine goccia"]
    assert found["state"] == "ok"
    assert found["detail"].startswith("GocciaScript ")
    assert found["detail"].endswith(f" at {standin_runner}, not confined")
