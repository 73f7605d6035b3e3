"""Where specifiers lead: exact files, twins, extensions, index files, import maps, aliases; the words for failures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.modules import EXTENSIONS, ImportMapError, ResolutionError, Resolver, extension, is_builtin
from goccia_tools.child.vfs import FileSystem


def filesystem(*paths: str) -> FileSystem:
    files = FileSystem(0, 0)
    for path in paths:
        files.mkdir(path.rpartition("/")[0] or "/", recursive=True)
        files.write(path, b"")
    return files


def resolve(specifier: str, *paths: str, referrer: str = "/main.js", **options: object) -> str:
    return Resolver(filesystem(*paths), **options).resolve(specifier, referrer)


class TestFiles:
    @pytest.mark.parametrize(
        ("specifier", "paths", "expected"),
        [
            ("./a.js", ["/a.js"], "/a.js"),
            ("./a", ["/a.js"], "/a.js"),
            ("./a", ["/a", "/a.js"], "/a"),
            ("./a", ["/a.js", "/a/index.js"], "/a.js"),
            ("./a", ["/a/index.ts"], "/a/index.ts"),
            ("./a", ["/a.json", "/a.js"], "/a.js"),
            ("./a.js", ["/a.ts"], "/a.ts"),
            ("./a.js", ["/a.tsx"], "/a.tsx"),
            ("./a.jsx", ["/a.ts", "/a.tsx"], "/a.ts"),
            ("./a.mjs", ["/a.mts"], "/a.mts"),
            ("./a.js", ["/a.js.js"], "/a.js.js"),
            ("../../up.js", ["/up.js"], "/up.js"),
            ("/lib/a.js", ["/lib/a.js"], "/lib/a.js"),
            (".\\a.js", ["/a.js"], "/a.js"),
            ("./", ["/index.js"], "/index.js"),
            ("/", ["/index.json"], "/index.json"),
        ],
    )
    def test_the_order(self, specifier: str, paths: list[str], expected: str) -> None:
        assert resolve(specifier, *paths) == expected

    def test_relative_means_relative_to_the_importer(self) -> None:
        assert resolve("./b.js", "/lib/b.js", referrer="/lib/a.js") == "/lib/b.js"
        assert resolve("../b.js", "/b.js", referrer="/lib/a.js") == "/b.js"

    @pytest.mark.parametrize("appended", EXTENSIONS)
    def test_every_extension_is_tried(self, appended: str) -> None:
        assert resolve("./thing", f"/thing{appended}") == f"/thing{appended}"
        assert resolve("./thing", f"/thing/index{appended}") == f"/thing/index{appended}"

    def test_names_are_case_sensitive(self) -> None:
        with pytest.raises(ResolutionError):
            resolve("./A.js", "/a.js")

    @pytest.mark.parametrize(
        ("specifier", "message"),
        [
            ("./gone.js", 'Module not found: "./gone.js" (resolved to "/gone.js")'),
            ("/gone.js", 'Module not found: "/gone.js"'),
            ("left-pad", 'Cannot resolve bare module specifier "left-pad". Imports must start with "./" or "../"'),
            ("node:fs", 'Cannot resolve bare module specifier "node:fs". Imports must start with "./" or "../"'),
            ("", 'Cannot resolve bare module specifier "". Imports must start with "./" or "../"'),
        ],
    )
    def test_failures_are_in_the_references_words(self, specifier: str, message: str) -> None:
        with pytest.raises(ResolutionError) as caught:
            resolve(specifier)
        assert str(caught.value) == message

    @given(path=st.lists(st.sampled_from(["a", "b", ".", "..", ""]), min_size=1, max_size=6))
    def test_a_dotted_way_to_a_file_is_the_file(self, path: list[str]) -> None:
        specifier = "/" + "/".join([*path, "..", "..", "..", "..", "..", "..", "here.js"])
        assert resolve(specifier, "/here.js") == "/here.js"


class TestImportMapsAndAliases:
    def test_exact_and_prefix_keys(self) -> None:
        imports = {"dep": "/vendor/dep.js", "lib/": "./src/", "./local.js": "/other.js"}
        options = {"import_map": {"imports": imports, "scopes": {"/x/": {"dep": "/never.js"}}}}
        paths = ("/vendor/dep.js", "/src/x.js", "/other.js")
        assert resolve("dep", *paths, **options) == "/vendor/dep.js"
        assert resolve("lib/x", *paths, **options) == "/src/x.js"
        assert resolve("./local.js", *paths, **options) == "/other.js"
        assert resolve("../local.js", *paths, referrer="/src/a.js", **options) == "/other.js"

    def test_aliases(self) -> None:
        options = {"aliases": ["@/=/src/", "config=settings.json", "@/deep/=/far/"]}
        paths = ("/src/x.js", "/settings.json", "/far/y.js")
        assert resolve("@/x.js", *paths, **options) == "/src/x.js"
        assert resolve("config", *paths, **options) == "/settings.json"
        assert resolve("@/deep/y", *paths, **options) == "/far/y.js", "the longest key wins"

    def test_a_missing_target_is_named(self) -> None:
        with pytest.raises(ResolutionError) as caught:
            resolve("@/gone.js", aliases=["@/=/src/"])
        assert str(caught.value) == 'Module not found: "@/gone.js" (alias resolved to "/src/gone.js")'

    @pytest.mark.parametrize(
        ("imports", "problem"),
        [
            ([], "must be a JSON object"),
            ({"a": 1}, '"a" must map to a string'),
            ({"a/": "/b"}, '"a/" ends with "/"'),
            ({"a": "b"}, '"a" must use an absolute or relative'),
        ],
    )
    def test_a_malformed_map_is_refused(self, imports: object, problem: str) -> None:
        with pytest.raises(ImportMapError, match=problem):
            resolve("./a", import_map={"imports": imports})

    @pytest.mark.parametrize("alias", ["novalue", "=x"])
    def test_a_malformed_alias_is_refused(self, alias: str) -> None:
        with pytest.raises(ImportMapError, match="key=value"):
            resolve("./a", aliases=[alias])


class TestAddresses:
    def test_import_meta_resolve_needs_no_file(self) -> None:
        resolver = Resolver(filesystem(), aliases=["@/=/src/"])
        assert resolver.address("./x.js", "/lib/a.js") == "file:///lib/x.js"
        assert resolver.address("/x", "/a.js") == "file:///x"
        assert resolver.address("@/x.js", "/lib/a.js") == "file:///lib/@/x.js", "aliases do not apply"
        assert resolver.address("fs", "/lib/a.js") == "file:///lib/fs"
        assert resolver.address("", "/lib/a.js") == "file:///lib/"
        assert resolver.address("./a b.js", "/a.js") == "file:///a%20b.js"


def test_small_words() -> None:
    assert extension("/a.b/c") == ""
    assert extension("/a/x.JSON") == ".json"
    assert [name for name in ("fs", "goccia", "goccia:test", "fs/promises", "gocciax") if is_builtin(name)] == [
        "fs",
        "goccia",
        "goccia:test",
    ]
