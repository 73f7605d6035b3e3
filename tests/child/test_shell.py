"""The shell: words, redirection, builtins, statuses; and that nothing outside its filesystem exists for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.shell import Shell, ShellError, tokens
from goccia_tools.child.vfs import FileSystem


@pytest.fixture
def shell() -> Shell:
    files = FileSystem(1000, 20)
    files.write("/main.js", b"1;")
    return Shell(files)


def run(shell: Shell, line: str) -> tuple[int, str, str]:
    result = shell.execute(line)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a  b\tc", ["a", "b", "c"]),
        ("'a b' \"c 'd'\"", ["a b", "c 'd'"]),
        ('"q\\"q" "b\\\\s \\n"', ['q"q', "b\\s \\n"]),
        ("a\\ b", ["a b"]),
        ("it''s", ["its"]),
        ('"" x', ["", "x"]),
        ("a>b>>c", ["a", ">", "b", ">>", "c"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    assert tokens(line) == words


@pytest.mark.parametrize(
    ("line", "problem"),
    [("'a", "unterminated single quote"), ('"a', "unterminated double quote"), ("a\\", "trailing backslash")],
)
def test_broken_words(line: str, problem: str) -> None:
    with pytest.raises(ShellError, match=problem):
        tokens(line)


@given(words=st.lists(st.text(alphabet=st.characters(exclude_characters="\0")), min_size=1, max_size=5))
def test_single_quotes_carry_any_word(words: list[str]) -> None:
    assert tokens(" ".join("'" + word.replace("'", "'\\''") + "'" for word in words)) == words


@given(line=st.text(max_size=60))
def test_any_line_ends_with_a_status(line: str) -> None:
    result = Shell(FileSystem(1000, 20)).execute(line.replace("\0", ""))
    assert result.exit_code in (0, 1, 2, 127)
    assert (result.exit_code == 0) == (result.stderr == "")


class TestRedirection:
    def test_truncates_and_appends(self, shell: Shell) -> None:
        assert run(shell, "echo one > /f") == (0, "", "")
        assert run(shell, "echo two>>/f") == (0, "", "")
        assert run(shell, "cat /f") == (0, "one\ntwo\n", "")
        assert run(shell, "> /f echo three") == (0, "", "")
        assert run(shell, "cat /f") == (0, "three\n", "")

    def test_the_target_is_opened_before_the_command_runs(self, shell: Shell) -> None:
        run(shell, "echo old > /f")
        assert run(shell, "cat /none > /f")[0] == 1
        assert run(shell, "cat /f") == (0, "", "")
        assert run(shell, "echo x > /no/f") == (1, "", "shell: /no/f: no such file or directory\n")

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("echo a > b > c", "ambiguous redirect (multiple targets)"),
            ("echo a >", "redirect is missing a target path"),
        ],
    )
    def test_mistakes(self, shell: Shell, line: str, problem: str) -> None:
        assert run(shell, line) == (2, "", f"shell: syntax error: {problem}\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pwd", (0, "/\n", "")),
        ("pwd x", (2, "", "pwd: takes no arguments\n")),
        ("", (0, "", "")),
        ("ls", (0, "main.js\n", "")),
        ("ls -x", (2, "", "ls: unknown option -x\n")),
        ("ls /none", (1, "", "ls: /none: no such file or directory\n")),
        ("mkdir", (2, "", "mkdir: missing operand\n")),
        ("mkdir /a/b", (1, "", "mkdir: /a/b: no such file or directory\n")),
        ("rm /none /none2", (1, "", "rm: /none: no such file or directory\nrm: /none2: no such file or directory\n")),
        ("cp /main.js", (2, "", "cp: expected: cp [-r] <source> <dest>\n")),
        ("mv a", (2, "", "mv: expected: mv <source> <dest>\n")),
        ("echo -- -n", (0, "-n\n", "")),
        ("echo -n a b", (0, "a b", "")),
        ("echo *.js $X `x` | cat", (0, "*.js $X `x` | cat\n", "")),
        ("df", (0, "used:  2 B\nquota: 1000 B (0.2% used)\nnodes: 1\n", "")),
        ("tree /main.js", (1, "", "tree: /main.js: not a directory\n")),
        (
            "/bin/sh -c id",
            (127, "", "/bin/sh: command not found (sandboxed shell - host commands are unreachable)\n"),
        ),
    ],
)
def test_builtins(shell: Shell, line: str, expected: tuple[int, str, str]) -> None:
    assert run(shell, line) == expected


def test_the_working_directory_is_kept(shell: Shell) -> None:
    for line in ("mkdir -p /w/sub", "cd /w", "touch here.txt", "cd sub"):
        assert run(shell, line)[0] == 0
    assert run(shell, "pwd") == (0, "/w/sub\n", "")
    assert run(shell, "ls ..") == (0, "here.txt\nsub/\n", "")
    assert run(shell, "cd /none") == (1, "", "cd: /none: no such file or directory\n")
    assert run(shell, "cd /main.js") == (1, "", "cd: /main.js: not a directory\n")
    assert run(shell, "cd a b") == (2, "", "cd: too many arguments\n")
    assert run(shell, "cd") == (0, "", "")
    assert shell.cwd == "/"


def test_a_tree(shell: Shell) -> None:
    for line in ("mkdir -p /a/b", "touch /a/b/c", "touch /a/x"):
        run(shell, line)
    assert run(shell, "tree /")[1] == "/\n|-- a/\n|   |-- b/\n|   |   `-- c\n|   `-- x\n`-- main.js\n"


def test_a_full_filesystem_is_said(shell: Shell) -> None:
    code, _, problem = run(shell, "echo " + "x" * 2000 + " > /big")
    assert code == 1
    assert problem.startswith("shell: quota exceeded")
