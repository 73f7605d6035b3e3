"""``goccia-tools doctor``: the findings of the doctor, and whether all is well."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click
import orjson

from ..display import EXIT_STATUS
from ..doctor import Finding, examine
from ..result import FailureKind
from .output import color_on, say, write_output

MARKS = {"ok": ("ok", "\x1b[32m"), "absent": ("--", "\x1b[2m"), "broken": ("NO", "\x1b[1;31m")}


@click.command(help="Say what works on this machine, and try one program. Exit status 6 when something is broken.")
@click.option("--json", "as_json", is_flag=True, help="print the findings as JSON, nothing else")
def doctor(as_json: bool) -> int:
    """Print the findings and return the exit status."""
    findings: list[Finding] = []
    color = color_on(sys.stdout)
    for finding in examine():
        findings.append(finding)
        if not as_json:
            write_output(_line(finding, color=color))
    broken = [finding.subject for finding in findings if finding.state == "broken"]
    if as_json:
        write_output(
            orjson.dumps([asdict(finding) for finding in findings], option=orjson.OPT_INDENT_2).decode() + "\n"
        )
    elif broken:
        say(f"goccia-tools: not well: {', '.join(broken)}")
    else:
        say("goccia-tools: all is well")
    return EXIT_STATUS[FailureKind.HOST_ERROR] if broken else 0


def _line(finding: Finding, *, color: bool) -> str:
    mark, paint = MARKS[finding.state]
    mark = f"{paint}{mark}\x1b[0m" if color else mark
    detail = finding.detail.replace("\n", "\n" + " " * 24)
    return f"{mark}  {finding.subject:<22}{detail}\n"
