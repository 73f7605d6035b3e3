"""Prints how many recorded cases are met, by topic, at the end of a run that compared any."""

from __future__ import annotations

from collections import defaultdict

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    met_everywhere: dict[tuple[str, str, str], bool] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            facts = dict(getattr(report, "user_properties", ()))
            if getattr(report, "when", None) != "call" or "conformance_case" not in facts:
                continue
            case = facts["conformance_topic"], facts["conformance_case"], facts["conformance_parity"]
            # a case counts as met when every launcher meets it
            met_everywhere[case] = met_everywhere.get(case, True) and bool(facts["conformance_met"])
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (topic, _, parity), met in met_everywhere.items():
        column = 0 if parity == "required" else 2
        tally[topic][column] += met
        tally[topic][column + 1] += 1
    if not tally:
        return
    terminalreporter.section("recorded cases met")
    terminalreporter.write_line(f"{'topic':<14}{'required':>12}{'accidents':>12}")
    for topic, (met_required, all_, met_accidents, all_accidents) in sorted(tally.items()):
        terminalreporter.write_line(
            f"{topic:<14}{f'{met_required}/{all_}':>12}{f'{met_accidents}/{all_accidents}':>12}"
        )
    sums = [sum(row[index] for row in tally.values()) for index in range(4)]
    terminalreporter.write_line(f"{'total':<14}{f'{sums[0]}/{sums[1]}':>12}{f'{sums[2]}/{sums[3]}':>12}")
