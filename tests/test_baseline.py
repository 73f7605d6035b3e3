import base64
import os
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.baseline import Seed, materialise, sandbox_path
from goccia_tools.errors import SeedError
from goccia_tools.hostfiles import read_host_file

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
QUOTA_BYTES = 1000


def entries(seeds, *, quota_bytes=QUOTA_BYTES, node_limit=20):
    """The baseline as path -> bytes, or None for a folder, after checking that parents come first."""
    files = materialise(seeds, quota_bytes=quota_bytes, node_limit=node_limit)
    seen = {"/"}
    for item in files:
        assert (item["path"].rpartition("/")[0] or "/") in seen
        seen.add(item["path"])
    return {
        item["path"]: base64.b64decode(item["base64"], validate=True) if item["kind"] == "file" else None
        for item in files
    }


def refusal(seeds, **limits) -> str:
    with pytest.raises(SeedError) as caught:
        entries(seeds, **limits)
    return str(caught.value)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "main.js").write_bytes(b"main")
    (tmp_path / "lib" / "b.js").write_bytes(b"\xff\x00")
    (tmp_path / "lib" / "a.js").write_bytes(b"")
    return tmp_path


class TestPaths:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("", "/"),
            ("/", "/"),
            ("main.js", "/main.js"),
            ("\\a\\b", "/a/b"),
            ("/a//./b/", "/a/b"),
            ("/a/../../b", "/b"),
            ("/file/..", "/"),
            ("/...", "/..."),
            ("/ä/😀", "/ä/😀"),
        ],
    )
    def test_normal_form(self, given, expected):
        assert sandbox_path(given) == expected

    @given(st.text(alphabet="a.\\/ ", max_size=20))
    def test_normal_form_is_stable_and_never_climbs(self, text):
        path = sandbox_path(text)
        assert sandbox_path(path) == path
        assert path.startswith("/")
        assert path == "/" or all(part not in ("", ".", "..") for part in path[1:].split("/"))

    @pytest.mark.parametrize("path", ["/a\0b", "/\ud800"])
    def test_impossible_names(self, path):
        message = refusal({path: ""})
        assert "NUL" in message or "not valid UTF-8" in message
        message.encode()


class TestSources:
    def test_every_kind_of_source(self, project):
        assert entries({"/t": "é", "/b": b"\0", "/d": None, "/f": project / "main.js", "/p": project / "lib"}) == {
            "/b": b"\0",
            "/d": None,
            "/f": b"main",
            "/p": None,
            "/p/a.js": b"",
            "/p/b.js": b"\xff\x00",
            "/t": "é".encode(),
        }

    def test_a_folder_seeds_its_contents(self, project):
        assert list(entries({"/": project})) == ["/empty", "/lib", "/lib/a.js", "/lib/b.js", "/main.js"]

    @pytest.mark.parametrize("path", ["/", "", "/lib/", "lib\\"])
    def test_a_file_keeps_its_name_below_a_folder(self, project, path):
        target = sandbox_path(path + "/main.js")
        assert entries({path: project / "main.js"})[target] == b"main"

    def test_a_file_keeps_its_name_below_a_folder_seeded_before(self, project):
        assert entries([Seed("/d", None), Seed("/d", project / "main.js")]) == {"/d": None, "/d/main.js": b"main"}

    def test_parents_are_made(self):
        assert list(entries({"/a/b/c.js": ""})) == ["/a", "/a/b", "/a/b/c.js"]

    def test_lone_surrogates_become_replacement_characters(self):
        assert entries({"/t": "a\ud83d\ude00\ud800"})["/t"] == "a😀\ufffd".encode()

    def test_order_does_not_depend_on_the_order_of_seeds(self):
        seeds = [Seed("/b", "2"), Seed("/a/x", "1"), Seed("/é", "3"), Seed("/a", None)]
        assert materialise(seeds, quota_bytes=9, node_limit=9) == materialise(seeds[::-1], quota_bytes=9, node_limit=9)

    def test_nothing_to_seed(self):
        assert materialise(None, quota_bytes=0, node_limit=0) == []

    def test_replace(self):
        assert entries([Seed("/a", "long"), Seed("/a", "b", replace=True)], quota_bytes=1) == {"/a": b"b"}

    @pytest.mark.parametrize(
        ("seeds", "words"),
        [
            ({"/x": 3}, 'seed "/x" must be text, bytes, a pathlib.Path or None, not int'),
            ({3: ""}, "a sandbox path must be a string, not int"),
            ("main.js", "must be a mapping of sandbox path to source, not str"),
            (["main.js"], "must hold Seed objects, not str"),
            (3, "not int"),
        ],
    )
    def test_wrong_types(self, seeds, words):
        assert words in refusal(seeds)


class TestConflicts:
    @pytest.mark.parametrize(
        ("seeds", "words"),
        [
            ([Seed("/a", ""), Seed("/b/../a", "")], '"/a" is seeded twice'),
            ([Seed("/a", ""), Seed("/a/b", "")], '"/a" is a file already and cannot also be a folder'),
            ([Seed("/a/b", ""), Seed("/a", "")], '"/a" is a folder already and cannot also be a file'),
            ([Seed("/a", ""), Seed("/a", None)], '"/a" is a file already'),
            ([Seed("/a", None), Seed("/a", "", replace=True)], '"/a" is a folder already'),
            ({"/": "text"}, "the sandbox root is a folder and cannot be a file"),
        ],
    )
    def test_conflict(self, seeds, words):
        assert words in refusal(seeds)

    def test_folders_merge(self, project):
        assert entries([Seed("/", project / "lib"), Seed("/lib2", None), Seed("/", project / "empty")])

    def test_twice_from_two_folders(self, project, tmp_path_factory):
        other = tmp_path_factory.mktemp("other")
        (other / "main.js").write_text("")
        message = refusal([Seed("/", project), Seed("/", other)])
        assert str(other / "main.js") in message
        assert '"/main.js" is seeded twice' in message


class TestHostFiles:
    def test_missing(self, tmp_path):
        assert "nowhere" in (message := refusal({"/x": tmp_path / "nowhere"}))
        assert "does not exist" in message

    def test_below_a_file(self, project):
        assert "part of its path is not a folder" in refusal({"/x": project / "main.js" / "x"})

    def test_nul_in_a_host_path(self):
        assert "NUL" in refusal({"/x": Path("a\0b")})

    @posix_only
    @pytest.mark.parametrize("where", ["link.js", "linkdir", "linkdir/", "linkdir/.", "dangling"])
    @pytest.mark.adr("C29")
    def test_symlink_named(self, project, where):
        (project / "link.js").symlink_to("main.js")
        (project / "linkdir").symlink_to("lib")
        (project / "dangling").symlink_to("nowhere")

        class Spelt(os.PathLike):  # pathlib would drop the trailing slash
            def __fspath__(self):
                return f"{project}/{where}"

        assert "is a symbolic link" in refusal({"/x": Spelt()})

    @posix_only
    @pytest.mark.adr("C29")
    def test_symlink_inside_a_folder(self, project):
        (project / "lib" / "evil").symlink_to("/etc/passwd")
        message = refusal({"/": project})
        assert str(project / "lib" / "evil") in message
        assert "is a symbolic link" in message

    @posix_only
    def test_fifo_socket_and_device(self, tmp_path):
        os.mkfifo(tmp_path / "fifo")
        assert "is a FIFO" in refusal({"/x": tmp_path})
        assert "is a device" in refusal({"/x": Path("/dev/null")})
        with socket.socket(socket.AF_UNIX) as server:
            (tmp_path / "fifo").unlink()
            before = Path.cwd()
            os.chdir(tmp_path)  # socket paths are short
            try:
                server.bind("sock")
            finally:
                os.chdir(before)
            assert "is a socket" in refusal({"/x": tmp_path / "sock"})

    @posix_only
    def test_unreadable(self, project, monkeypatch):
        (project / "main.js").chmod(0)
        if os.geteuid() == 0:  # root reads everything, so the system's refusal is played to it
            real_open = os.open

            def refuse(name, *arguments, **keywords):
                if name == "main.js":
                    raise PermissionError(13, "Permission denied", name)
                return real_open(name, *arguments, **keywords)

            monkeypatch.setattr(os, "open", refuse)
        message = refusal({"/": project})
        assert str(project / "main.js") in message
        assert "permission denied" in message

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_name_that_is_not_utf8(self, tmp_path):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff")).write_bytes(b"")
        message = refusal({"/": tmp_path})
        assert "not valid UTF-8" in message
        assert "rename the file" in message
        message.encode()

    @posix_only
    def test_no_descriptor_is_left_open(self, project):
        (project / "lib" / "evil").symlink_to("/etc/passwd")
        before = os.listdir("/dev/fd")
        refusal({"/": project})
        assert len(os.listdir("/dev/fd")) == len(before)

    def test_too_deep(self, tmp_path):
        deep = tmp_path
        for _ in range(202):
            deep /= "d"
            deep.mkdir()
        assert "folders deep" in refusal({"/": tmp_path}, node_limit=999)

    @posix_only
    @pytest.mark.parametrize("swapped", ["file", "folder"])
    def test_a_symlink_that_appears_after_the_check_is_not_followed(self, project, monkeypatch, swapped):
        """The race: what was a file or folder when it was looked at is a symlink when it is opened."""
        victim = project / ("main.js" if swapped == "file" else "lib")
        real_open = os.open

        def swap_then_open(name, *arguments, **keywords):
            if victim.name == os.path.basename(name) and not victim.is_symlink():
                victim.rename(project.parent / "moved")
                victim.symlink_to(project.parent / "moved")
            return real_open(name, *arguments, **keywords)

        monkeypatch.setattr(os, "open", swap_then_open)
        assert victim.name in refusal({"/x": victim})

    @pytest.mark.skipif(not os.path.exists("/proc/version"), reason="needs procfs")
    def test_a_file_that_says_it_is_empty(self):
        assert entries({"/v": Path("/proc/version")})["/v"] == Path("/proc/version").read_bytes()

    def test_read_host_file(self, project):
        assert read_host_file(project / "main.js") == b"main"
        with pytest.raises(SeedError, match="is a folder, not a file"):
            read_host_file(project)


class TestQuotas:
    @pytest.mark.adr("C29")
    def test_bytes(self, tmp_path):
        (tmp_path / "big").write_bytes(b"x" * 600)
        message = refusal({"/a": b"y" * 600, "/d": tmp_path})
        assert "1200 bytes, 200 more than fs_quota_bytes allows (1000)" in message

    def test_exactly_full(self, tmp_path):
        (tmp_path / "big").write_bytes(b"x" * 600)
        assert entries({"/a": b"y" * 400, "/": tmp_path})["/big"] == b"x" * 600

    @posix_only
    def test_a_huge_file_is_not_read(self, tmp_path):
        with open(tmp_path / "sparse", "wb") as file:
            file.truncate(1 << 40)
        assert f"{1 << 40} bytes" in refusal({"/": tmp_path})

    @pytest.mark.adr("C29")
    def test_nodes(self):
        seeds = {f"/d/{number}": "" for number in range(20)}
        assert "21 files and folders, 1 more than fs_node_limit allows (20)" in refusal(seeds)
        assert entries(seeds, node_limit=21)
