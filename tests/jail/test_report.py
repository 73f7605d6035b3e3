"""The report claims what holds, and a required jail is all or nothing."""

from __future__ import annotations

import pytest

from goccia_tools import jail
from goccia_tools.jail import nolayers
from goccia_tools.jail.report import APPLIED, REFUSED, UNAVAILABLE, JailReport, Layer


def test_off_applies_nothing() -> None:
    report = jail.apply("stdio", "off", 1)
    assert str(report) == "jail off"
    assert report.layers == []


def test_what_is_missing_is_said_with_its_reason() -> None:
    report = JailReport(
        "auto",
        "stdio",
        [Layer("rlimits", APPLIED), Layer("landlock", UNAVAILABLE, "no Landlock"), Layer("seccomp", REFUSED, "no")],
    )
    assert [layer.name for layer in report.missing] == ["landlock", "seccomp"]
    assert str(report) == "jail stdio: rlimits; not applied: landlock unavailable (no Landlock), seccomp refused (no)"


def test_nothing_holding_is_said_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "steps", nolayers.steps)
    report = jail.apply("stdio", "auto", 1)
    assert str(report).startswith("jail stdio: nothing; not applied: code pages unavailable (only Linux has it)")
    with pytest.raises(jail.JailIncomplete, match=r"the jail is incomplete \(code pages: unavailable"):
        jail.apply("stdio", "required", 1)
