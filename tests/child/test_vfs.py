"""The filesystem: path rules, quotas that always add up, and what each operation refuses."""

from __future__ import annotations

import contextlib
import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from goccia_tools.child.vfs import FileSystem, FsError, byte_order, human_bytes, normalise, subtree_bytes

NAMES = st.sampled_from(["a", "b", "B", "é", "a b"])
PATHS = st.lists(NAMES, min_size=0, max_size=3).map(lambda parts: "/" + "/".join(parts))


@given(st.text(alphabet="ab./\\ ", max_size=30))
def test_a_normal_path_is_absolute_and_stays_one(path: str) -> None:
    once = normalise(path)
    assert once.startswith("/")
    assert normalise(once) == once
    assert ".." not in once.split("/")
    slashed = "/" + path.replace("\\", "/")
    assert once == posixpath.normpath(slashed).replace("//", "/")


@pytest.mark.parametrize(
    ("path", "normal"),
    [("", "/"), ("a//b/", "/a/b"), ("/../..", "/"), ("\\a\\..\\b", "/b"), ("/f/../x", "/x"), (".", "/")],
)
def test_path_rules(path: str, normal: str) -> None:
    assert normalise(path) == normal


def test_a_nul_is_invalid() -> None:
    with pytest.raises(FsError) as refused:
        normalise("/a\0b")
    assert refused.value.code == "EINVAL"


def code_of(action: object, *arguments: object, **named: object) -> str:
    with pytest.raises(FsError) as refused:
        action(*arguments, **named)  # type: ignore[operator]
    return refused.value.code


@pytest.fixture
def files() -> FileSystem:
    made = FileSystem(100, 10)
    made.mkdir("/d")
    made.write("/d/f", b"12345")
    made.write("/g", b"67890")
    return made


def test_what_is_refused(files: FileSystem) -> None:
    assert code_of(files.read, "/no") == "ENOENT"
    assert code_of(files.read, "/d") == "EISDIR"
    assert code_of(files.list, "/g") == "ENOTDIR"
    assert code_of(files.write, "/g/x", b"") == "ENOTDIR"
    assert code_of(files.write, "/no/x", b"") == "ENOENT"
    assert code_of(files.write, "/d", b"") == "EISDIR"
    assert code_of(files.mkdir, "/") == "EEXIST"
    assert files.mkdir("/", recursive=True) is None
    assert code_of(files.mkdir, "/d") == "EEXIST"
    assert code_of(files.mkdir, "/g", recursive=True) == "ENOTDIR"
    assert code_of(files.mkdir, "/g/x", recursive=True) == "ENOTDIR"
    assert code_of(files.mkdir, "/x/y") == "ENOENT"
    assert code_of(files.remove, "/") == "EINVAL"
    assert code_of(files.remove, "/d") == "ENOTEMPTY"
    assert code_of(files.move, "/d", "/d") == "EINVAL"
    assert code_of(files.move, "/d", "/g") == "EEXIST"
    assert code_of(files.copy, "/d", "/e") == "EISDIR"


def test_a_refused_write_leaves_an_empty_file(files: FileSystem) -> None:
    assert code_of(files.write, "/g", b"x" * 96) == "ENOSPC"
    assert files.read("/g") == b""
    assert code_of(files.write, "/new", b"x" * 96) == "ENOSPC"
    assert files.read("/new") == b""
    assert files.used_bytes == 5


def test_the_node_limit_counts_directories(files: FileSystem) -> None:
    assert code_of(files.mkdir, "/1/2/3/4/5/6/7/8", recursive=True) == "ENOSPC"
    assert files.find("/1") is None


def test_moving_into_a_directory_keeps_the_name(files: FileSystem) -> None:
    files.move("/g", "/d")
    assert [node.name for node in files.list("/d")] == ["f", "g"]
    files.move("/d/g", "/d/f")
    assert files.read("/d/f") == b"67890"
    assert (files.used_bytes, files.node_count) == (5, 2)


def test_a_fork_is_independent_and_keeps_stamps(files: FileSystem) -> None:
    twin = files.fork()
    assert [(n.path, n.mtime, n.data) for n in twin.root.walk()] == [
        (n.path, n.mtime, n.data) for n in files.root.walk()
    ]
    twin.write("/g", b"")
    assert files.read("/g") == b"67890"


def test_listings_are_in_byte_order() -> None:
    files = FileSystem(0, 0)
    for name in ("é", "b", "B", "a", "\U0001f600", "\uffff"):
        files.write("/" + name, b"")
    names = [node.name for node in files.list("/")]
    assert names == ["B", "a", "b", "é", "\uffff", "\U0001f600"]
    assert names == sorted(names, key=byte_order)


def test_sizes_for_people() -> None:
    assert [human_bytes(n) for n in (5, 1024, 2621440)] == ["5 B", "1.0 KiB", "2.5 MiB"]


class Quotas(RuleBasedStateMachine):
    """Whatever happens, the accounts equal what is there and never pass the quotas."""

    def __init__(self) -> None:
        super().__init__()
        self.files = FileSystem(64, 8)

    def attempt(self, action: object, *arguments: object, **named: object) -> None:
        with contextlib.suppress(FsError):
            action(*arguments, **named)  # type: ignore[operator]

    @rule(path=PATHS, size=st.integers(0, 80))
    def write(self, path: str, size: int) -> None:
        self.attempt(self.files.write, path, b"x" * size)

    @rule(path=PATHS, recursive=st.booleans())
    def mkdir(self, path: str, recursive: bool) -> None:
        self.attempt(self.files.mkdir, path, recursive=recursive)

    @rule(path=PATHS, recursive=st.booleans())
    def remove(self, path: str, recursive: bool) -> None:
        self.attempt(self.files.remove, path, recursive=recursive)

    @rule(source=PATHS, destination=PATHS)
    def move(self, source: str, destination: str) -> None:
        self.attempt(self.files.move, source, destination)

    @rule(source=PATHS, destination=PATHS, recursive=st.booleans())
    def copy(self, source: str, destination: str, recursive: bool) -> None:
        self.attempt(self.files.copy, source, destination, recursive=recursive)

    @invariant()
    def accounts(self) -> None:
        nodes = list(self.files.root.walk())
        assert self.files.node_count == len(nodes) - 1 <= 8
        assert self.files.used_bytes == subtree_bytes(self.files.root) <= 64
        assert all(self.files.find(node.path) is node for node in nodes)


TestQuotas = Quotas.TestCase
