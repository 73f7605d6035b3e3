"""The `$` shell: a line of words over the virtual filesystem, every command a builtin, nothing of the host in reach."""

from __future__ import annotations

import time

from goccia_tools.child.vfs import FileSystem, FsError, Node, human_bytes, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

FAILURE: Final = 1
USAGE: Final = 2
UNKNOWN: Final = 127

_HELP: Final = """\
sandbox builtins:
  pwd                     print working directory
  cd [path]               change directory
  ls [-l] [path...]       list directory contents
  mkdir [-p] <path...>    create directories
  touch <path...>         create empty files / bump mtime
  cat <path...>           print file contents
  echo [-n] [words...]    print arguments
  rm [-r] <path...>       delete files / directories
  cp [-r] <src> <dest>    copy
  mv <src> <dest>         move / rename
  stat <path>             show metadata
  tree [path]             render the namespace
  df                      quota and node usage
  redirection: cmd > file (truncate), cmd >> file (append)
"""


class ShellError(Exception):
    """A command ends with this status and one line on its error output, after ``command: `` ."""

    def __init__(self, message: str, status: int = FAILURE) -> None:
        super().__init__(message)
        self.status = status


class Result:
    """What a command line gave."""

    __slots__ = ("exit_code", "stderr", "stdout")

    def __init__(self) -> None:
        self.exit_code = 0
        self.stdout = ""
        self.stderr = ""

    def fail(self, command: str, message: str, status: int = FAILURE) -> None:
        """Add a line to the error output and set the status."""
        self.stderr += f"{command}: {message}\n"
        self.exit_code = status


class Shell:
    """One shell with its working directory; ``commands`` adds or replaces builtins by name."""

    def __init__(self, files: FileSystem) -> None:
        self.files = files
        self.cwd = "/"
        self.commands: dict[str, Callable[[list[str], Result], None]] = {
            "pwd": self._pwd,
            "cd": self._cd,
            "ls": self._ls,
            "mkdir": self._mkdir,
            "touch": self._touch,
            "cat": self._cat,
            "echo": self._echo,
            "rm": self._rm,
            "cp": self._cp,
            "mv": self._mv,
            "stat": self._stat,
            "tree": self._tree,
            "df": self._df,
            "help": self._help,
        }

    def path(self, word: str) -> str:
        """A word as an absolute path from the working directory."""
        return normalise(word, self.cwd)

    def execute(self, line: str) -> Result:
        """Run one command line."""
        result = Result()
        try:
            words, target, append = redirection(tokens(line))
        except ShellError as error:
            result.fail("shell", f"syntax error: {error}", USAGE)
            return result
        if not words:
            return result
        try:
            if target is not None:
                target = self.path(target)
                # the target is opened, and emptied, before the command runs
                if not append or self.files.find(target) is None:
                    self.files.write(target, b"")
                elif not self.files.is_file(target):
                    raise FsError("EISDIR", target, "is a directory")
        except FsError as error:
            result.fail("shell", str(error))
            return result
        self._dispatch(words[0], words[1:], result)
        if target is not None:
            try:
                before = self.files.read(target) if append else b""
                self.files.write(target, before + result.stdout.encode("utf-8", "replace"))
            except FsError as error:
                result.fail("shell", str(error))
            result.stdout = ""
        return result

    def _dispatch(self, name: str, arguments: list[str], result: Result) -> None:
        command = self.commands.get(name)
        if command is None:
            result.fail(name, "command not found (sandboxed shell - host commands are unreachable)", UNKNOWN)
            return
        try:
            command(arguments, result)
        except ShellError as error:
            result.fail(name, str(error), error.status)
        except FsError as error:
            result.fail(name, str(error))

    # -- builtins

    def _pwd(self, arguments: list[str], result: Result) -> None:
        if arguments:
            raise ShellError("takes no arguments", USAGE)
        result.stdout += self.cwd + "\n"

    def _cd(self, arguments: list[str], result: Result) -> None:
        if len(arguments) > 1:
            raise ShellError("too many arguments", USAGE)
        target = self.path(arguments[0]) if arguments else "/"
        node = self.files.find(target)
        if node is None:
            raise ShellError(f"{target}: no such file or directory")
        if node.children is None:
            raise ShellError(f"{target}: not a directory")
        self.cwd = target

    def _ls(self, arguments: list[str], result: Result) -> None:
        flags, words = options(arguments, "l")
        words = words or [self.cwd]
        for index, word in enumerate(words):
            target = self.path(word)
            node = self.files.require(target)
            if len(words) > 1:
                result.stdout += ("\n" if index else "") + target + ":\n"
            if node.children is None:
                result.stdout += _entry(node, word, long="l" in flags)
            else:
                for child in self.files.list(target):
                    result.stdout += _entry(child, child.name, long="l" in flags)

    def _mkdir(self, arguments: list[str], result: Result) -> None:
        flags, words = options(arguments, "p")
        for word in _some(words):
            self.files.mkdir(self.path(word), recursive="p" in flags)

    def _touch(self, arguments: list[str], result: Result) -> None:
        for word in _some(arguments):
            self.files.touch(self.path(word))

    def _cat(self, arguments: list[str], result: Result) -> None:
        for word in _some(arguments):
            try:
                result.stdout += self.files.read(self.path(word)).decode("utf-8", "replace")
            except FsError as error:
                result.fail("cat", str(error))

    def _echo(self, arguments: list[str], result: Result) -> None:
        flags, words = options(arguments, "n")
        result.stdout += " ".join(words) + ("" if "n" in flags else "\n")

    def _rm(self, arguments: list[str], result: Result) -> None:
        flags, words = options(arguments, "r")
        for word in _some(words):
            try:
                self.files.remove(self.path(word), recursive="r" in flags)
            except FsError as error:
                result.fail("rm", str(error))

    def _cp(self, arguments: list[str], result: Result) -> None:
        flags, words = options(arguments, "r")
        if len(words) != 2:
            raise ShellError("expected: cp [-r] <source> <dest>", USAGE)
        self.files.copy(self.path(words[0]), self.path(words[1]), recursive="r" in flags)

    def _mv(self, arguments: list[str], result: Result) -> None:
        if len(arguments) != 2:
            raise ShellError("expected: mv <source> <dest>", USAGE)
        self.files.move(self.path(arguments[0]), self.path(arguments[1]))

    def _stat(self, arguments: list[str], result: Result) -> None:
        if len(arguments) != 1:
            raise ShellError("expected: stat <path>", USAGE)
        node = self.files.require(self.path(arguments[0]))
        kind = "file" if node.children is None else "directory"
        size = human_bytes(node.size) if node.children is None else f"{node.size} entries"
        stamp = _moment(node, "%Y-%m-%d %H:%M:%S")
        result.stdout += f"path:     {node.path}\nkind:     {kind}\nsize:     {size}\nmodified: {stamp}\n"

    def _tree(self, arguments: list[str], result: Result) -> None:
        if len(arguments) > 1:
            raise ShellError("expected: tree [path]", USAGE)
        target = self.path(arguments[0]) if arguments else self.cwd
        node = self.files.find(target)
        if node is None or node.children is None:
            raise ShellError(f"{target}: not a directory")
        lines = [target]
        top = self.files.list(target)
        pending = [(child, "", index == len(top) - 1) for index, child in enumerate(top)]
        while pending:
            child, prefix, last = pending.pop(0)
            lines.append(
                prefix + ("`-- " if last else "|-- ") + child.name + ("/" if child.children is not None else "")
            )
            if child.children is not None:
                below = self.files.list(child.path)
                inner = prefix + ("    " if last else "|   ")
                pending[:0] = [(item, inner, index == len(below) - 1) for index, item in enumerate(below)]
        result.stdout += "\n".join(lines) + "\n"

    def _df(self, arguments: list[str], result: Result) -> None:
        if arguments:
            raise ShellError("takes no arguments", USAGE)
        files = self.files
        quota = "unlimited"
        if files.quota_bytes > 0:
            share = files.used_bytes * 100 / files.quota_bytes
            quota = f"{human_bytes(files.quota_bytes)} ({share:.1f}% used)"
        result.stdout += f"used:  {human_bytes(files.used_bytes)}\nquota: {quota}\nnodes: {files.node_count}\n"

    def _help(self, arguments: list[str], result: Result) -> None:
        result.stdout += _HELP


def _some(words: list[str]) -> list[str]:
    if not words:
        raise ShellError("missing operand", USAGE)
    return words


def _moment(node: Node, form: str) -> str:
    return time.strftime(form, time.localtime(node.mtime / 1000))


def _entry(node: Node, name: str, *, long: bool) -> str:
    is_directory = node.children is not None
    shown = name + "/" if is_directory else name
    if not long:
        return shown + "\n"
    return f"{'d' if is_directory else '-'} {node.size:10d}  {_moment(node, '%Y-%m-%d %H:%M')}  {shown}\n"


def options(arguments: list[str], allowed: str) -> tuple[str, list[str]]:
    """The one-letter flags given and the remaining words; ``--`` ends the flags.

    Raises:
        ShellError: a flag that the command does not have.
    """
    flags, words, done = "", [], False
    for argument in arguments:
        if not done and argument == "--":
            done = True
        elif not done and len(argument) > 1 and argument[0] == "-":
            for letter in argument[1:]:
                if letter not in allowed:
                    raise ShellError(f"unknown option -{letter}", USAGE)
                flags += letter
        else:
            words.append(argument)
    return flags, words


def tokens(line: str) -> list[str]:
    """The words of a line: quotes and backslashes resolved, ``>`` and ``>>`` words of their own wherever they stand.

    Raises:
        ShellError: a quote that is not closed, a backslash with nothing behind it.
    """
    found: list[str] = []
    word: str | None = None
    at = 0
    while at < len(line):
        char = line[at]
        if char in " \t":
            if word is not None:
                found.append(word)
            word = None
        elif char in "'\"":
            word = word or ""
            at += 1
            while at < len(line) and line[at] != char:
                if char == '"' and line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\"):
                    at += 1
                word += line[at]
                at += 1
            if at >= len(line):
                raise ShellError(f"unterminated {'single' if char == chr(39) else 'double'} quote")
        elif char == "\\":
            at += 1
            if at >= len(line):
                raise ShellError("trailing backslash")
            word = (word or "") + line[at]
        elif char == ">":
            if word is not None:
                found.append(word)
            word = None
            doubled = line[at + 1 : at + 2] == ">"
            found.append(">>" if doubled else ">")
            at += doubled
        else:
            word = (word or "") + char
        at += 1
    if word is not None:
        found.append(word)
    return found


def redirection(words: list[str]) -> tuple[list[str], str | None, bool]:
    """The words without the redirection, its target if there is one, and whether it appends.

    A quoted ``>`` counts as one too, as in the reference.

    Raises:
        ShellError: two targets, or none behind the sign.
    """
    kept: list[str] = []
    target: str | None = None
    append = False
    at = 0
    while at < len(words):
        if words[at] in (">", ">>"):
            if target:
                raise ShellError("ambiguous redirect (multiple targets)")
            if at + 1 == len(words) or words[at + 1] in (">", ">>"):
                raise ShellError("redirect is missing a target path")
            append, target = words[at] == ">>", words[at + 1]
            at += 2
        else:
            kept.append(words[at])
            at += 1
    return kept, target or None, append
