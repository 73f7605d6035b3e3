"""The small language of skip and xfail conditions."""

import pytest

from goccia_tools.cases.attributes import skip_reason
from goccia_tools.cases.conditions import ConditionError, evaluate, facts

FACTS = {
    "platform": "linux",
    "os": "posix",
    "machine": "x86_64",
    "python": (3, 12, 4),
    "implementation": "cpython",
    "engine": "quickjs",
    "ci": False,
    "env": {"HOME": "/root"},
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('platform == "linux"', True),
        ("platform in ['darwin', 'win32']", False),
        ('not platform == "win32" and engine == "quickjs"', True),
        ('python >= "3.12"', True),
        ('python == "3.12"', True),
        ('python < "3.9" or python > "3.12.3"', True),
        ('"3.11" < python <= "3.12"', True),
        ('env["HOME"] == "/root"', True),
        ('env["NOTHING"]', False),
        ("ci", False),
        ('machine != "arm64"', True),
    ],
)
def test_conditions(text, holds):
    assert evaluate(text, FACTS) is holds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('x')", "a condition cannot hold"),
        ("[x for x in platform]", "a condition cannot hold"),
        ("platfrom == 'x'", 'did you mean "platform"?'),
        ("platform ==", "cannot be understood"),
        ("platform is 'x'", "a condition compares with"),
        ("env.get('x')", "a condition cannot hold"),
        ("(" * 500 + "ci", "cannot be understood"),
    ],
)
def test_nothing_else_is_evaluated(text, words):
    with pytest.raises(ConditionError, match=r"condition") as caught:
        evaluate(text, FACTS)
    assert words in str(caught.value)


def test_the_facts_are_those_of_this_machine():
    import sys

    assert evaluate(f'platform == "{sys.platform}"', facts())


def test_skips_with_and_without_a_condition(head):
    (case,) = head("skip: why\nskipif: {if: ci, reason: not there}")
    assert [skip_reason(skip, FACTS) for skip in case.skip] == ["why", None]
