import os
import subprocess
from pathlib import Path

import pytest

from goccia_tools.config import find_config, read_config
from goccia_tools.errors import ConfigError
from goccia_tools.options import RunOptions
from goccia_tools.settings import SETTINGS


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def complaint(path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    return str(caught.value)


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("goccia.json", '{"timeout": 250, "compat-var": true, "alias": ["a=/b", "c=/d"], "mode": "bytecode"}'),
            ("goccia.json5", "{timeout: 250, // ms\n 'compat-var': true, alias: ['a=/b', 'c=/d',], mode: 'bytecode'}"),
            ("goccia.toml", 'timeout = 250\ncompat-var = true\nalias = ["a=/b", "c=/d"]\nmode = "bytecode"\n'),
            (
                "OTHER.JSON",
                '\ufeff{"timeout": 250.0, "compat-var": "true", "alias": ["a=/b", "c=/d"], "mode": "Bytecode"}',
            ),
        ],
    )
    def test_the_same_settings(self, write, name, text):
        config = read_config(write(name, text))
        assert config.values == {"timeout": 250, "compat-var": True, "alias": ("a=/b", "c=/d"), "mode": "bytecode"}
        assert config.options() == RunOptions(
            timeout_ms=250, compatibility=("compat-var",), aliases=("a=/b", "c=/d"), mode="bytecode"
        )
        assert config.notes == ()

    def test_every_setting_by_name(self, write):
        samples = {"flag": "true", "count": "7", "duration": "7", "text": '"all"', "list": '["x=/y"]'}
        lines = [f"{s.name} = {samples.get(s.kind) or repr(s.choices[-1])}" for s in SETTINGS.values()]
        lines.remove('import-map = "all"')
        options = read_config(write("all.toml", "\n".join(lines))).options()
        assert len(options.compatibility) == 11
        assert options.source_type == "module"
        assert options.allowed_fetch_hosts == ("x=/y",)
        assert options.max_response_bytes == 7
        assert options.diff_format == "unified"

    def test_a_folder_is_searched_in_order_and_not_upwards(self, write, tmp_path):
        write("goccia.json", "{}")
        write("goccia.json5", "{}")
        (tmp_path / "below").mkdir()
        assert read_config(tmp_path).path == tmp_path / "goccia.json5"
        write("goccia.toml", "")
        assert read_config(tmp_path).path == tmp_path / "goccia.toml"
        assert "holds none of goccia.toml, goccia.json5, goccia.json" in complaint(tmp_path / "below")

    def test_find_walks_up(self, write, tmp_path):
        path = write("goccia.json", "{}")
        (tmp_path / "a" / "b").mkdir(parents=True)
        assert find_config(tmp_path / "a" / "b") == path
        path.unlink()
        found = find_config(tmp_path / "a" / "b")
        assert found is None or tmp_path not in found.parents

    def test_import_map(self, write):
        write("map.json", '{"imports": {"lib": "/lib.js"}}')
        path = write("goccia.toml", f"import-map = {str(path_of(write, 'map.json'))!r}")
        assert read_config(path).options().import_map == {"imports": {"lib": "/lib.js"}}

    def test_nested_values_and_nulls_are_skipped(self, write):
        assert not read_config(write("c.json", '{"timeout": null, "compat-var": {"x": 1}}')).values


def path_of(write, name):
    return write("x", "").with_name(name)


class TestExtends:
    def test_values_of_the_file_win_and_lists_add_up(self, write):
        write("base/base.toml", 'extends = "../root.json"\ntimeout = 2\nmax-memory = 2\nalias = ["b=/b"]')
        write("root.json", '{"timeout": 1, "max-memory": 1, "max-instructions": 1, "alias": ["a=/a"]}')
        path = write("goccia.json5", "{extends: 'base/base.toml', timeout: 3, alias: ['c=/c']}")
        assert read_config(path).values == {
            "timeout": 3,
            "max-memory": 2,
            "max-instructions": 1,
            "alias": ("c=/c", "b=/b", "a=/a"),
        }

    def test_a_flag_can_be_taken_back(self, write):
        write("base.json", '{"compat-var": true, "unsafe-shadowrealm": true}')
        options = read_config(write("c.json", '{"extends": "base.json", "compat-var": false}')).options()
        assert options.compatibility == ()
        assert options.unsafe_shadow_realm

    def test_an_empty_list_clears_what_would_be_inherited(self, write):
        write("base.json", '{"allowed-hosts": ["example.com"], "alias": ["a=/a"]}')
        path = write("c.json", '{"extends": "base.json", "allowed-hosts": [], "alias": []}')
        assert read_config(path).options() == RunOptions()

    def test_circle(self, write):
        write("a.json", '{"extends": "b.json"}')
        assert "extends goes in a circle" in complaint(write("b.json", '{"extends": "./a.json"}'))

    def test_chain_too_long(self, write):
        for number in range(13):
            path = write(f"{number}.json", f'{{"extends": "{number - 1}.json"}}' if number else "{}")
        assert "more than 10 files extend one another" in complaint(path)

    def test_missing_and_wrong(self, write, tmp_path):
        assert complaint(write("a.json", '{\n"extends": "nowhere.json"}')).startswith(f"{tmp_path}/a.json:2: extends ")
        assert "a.json:1: extends must be" in complaint(write("a.json", '{"extends": ["x"]}'))

    def test_a_fault_in_the_base_names_the_base(self, write, tmp_path):
        write("base.toml", "timeout = 1\nmode = 'fast'\n")
        assert complaint(write("a.json", '{"extends": "base.toml"}')).startswith(
            f"{tmp_path}/base.toml:2: mode must be"
        )


class TestMalformed:
    @pytest.mark.parametrize(
        ("name", "text", "words"),
        [
            ("c.json", '{\n "timeout": tru', ":2: Expecting value"),
            ("c.json", '{\n "timeout": NaN}', ":2: NaN is not JSON"),
            ("c.json", '{"timeout": 1,\n "timeout": 2}', ':1: "timeout" is given twice'),
            ("c.json", "[]", ":1: must hold an object"),
            ("c.json", "", ":1: Expecting value"),
            ("c.json", "[" * 100_000, ":1: nested too deeply"),
            ("c.json5", "{\n timeout: }", ':2: Unexpected "}"'),
            ("c.json5", "{\n timeout: 1,\n timeout: 2}", ':2: Duplicate key "timeout"'),
            ("c.json5", "", ":1: Empty"),
            ("c.json5", "[" * 100_000, ":1: nested too deeply"),
            ("c.toml", "mode = 'bytecode'\ntimeout = \n", ":2: Invalid value"),
            ("c.toml", "timeout =", ":1: Invalid value at the end of the file"),
            ("c.toml", "timeout = 1\ntimeout = 2\n", ":2: Cannot overwrite a value"),
            ("c.toml", b"# x\n# \xff\n", ":2: byte 0xff is not valid UTF-8"),
            (
                "c.json",
                '{\n\n"timeout": "abc"}',
                ':3: timeout must be a whole number of milliseconds, or 2s, not "abc"',
            ),
            ("c.json", '{"timeout": 1e999}', ":1: timeout must be a whole number"),
            ("c.json", '{"max-memory": -1}', ":1: max-memory must be 0 or greater, not -1"),
            ("c.json", '{"max-memory": 1.5}', ":1: max-memory must be a whole number, not 1.5"),
            ("c.json", '{"max-memory": 1e300}', ":1: max-memory must be smaller than 2^53"),
            ("c.json", '{"fs-quota-bytes": 0}', ":1: fs-quota-bytes must be 1 or greater, not 0"),
            ("c.json", '{"compat-var": "yes"}', ':1: compat-var must be true or false, not "yes"'),
            ("c.json", '{"compat-var": [true]}', ":1: compat-var must be true or false, not an array"),
            ("c.json", '{"alias": [["a"]]}', ":1: alias must be text, not an array"),
            (
                "c.json",
                '{"diff-format": "unifed"}',
                ':1: diff-format must be one of json, unified, not "unifed"; did you mean "unified"?',
            ),
            ("c.yaml", "", 'ends in .toml, .json5 or .json, not in ".yaml"'),
        ],
    )
    def test_says_where(self, write, name, text, words):
        path = write(name, text)
        message = complaint(path)
        assert message.startswith(str(path))
        assert words in message

    def test_missing(self, tmp_path):
        assert "cannot be read: No such file" in complaint(tmp_path / "goccia.json")


class TestKeysWithoutEffect:
    def test_near_misses_and_absent_options_are_noted_others_are_not(self, write, tmp_path):
        config = read_config(
            write("c.json", '{\n"timout": 1,\n"stack-size": 3,\n"coverage": true,\n"imports": {"@/": "./"}}')
        )
        assert not config.values
        assert config.notes == (
            f'{tmp_path}/c.json:2: unknown key "timout" has no effect; did you mean "timeout"?',
            f"{tmp_path}/c.json:3: stack-size has no effect here: the depth of calls is the engine's own",
            f"{tmp_path}/c.json:5: imports has no effect here: it maps files of the host; use import-map",
        )


REFERENCE = os.environ.get("GOCCIA_SANDBOX_RUNNER")


@pytest.mark.skipif(REFERENCE is None, reason="needs GOCCIA_SANDBOX_RUNNER")
class TestAsTheReferenceReads:
    """The same file has the same effect on GocciaSandboxRunner, seen through what the program may do."""

    FILES = (
        ("c.json", '{"extends": "base.json", "alias": ["lib=/other.js"]}'),
        ("c.json5", "{extends: 'base.json', 'compat-var': true, 'source-type': 'MODULE'}"),
        ("c.toml", "extends = 'base.json'\ncompat-var = 'true'\ncompat-asi = false\n"),
        ("c.json", '{"compat-var": true, "alias": []}'),
        ("c.json", '{"extends": "base.json", "alias": []}'),
        ("c.json", '{"alias": "lib=/lib.js", "timout": true, "nested": {"compat-var": true}}'),
    )

    @pytest.mark.parametrize(("name", "text"), FILES)
    def test_same_effect(self, write, tmp_path, name, text):
        write("base.json", '{"compat-function": true, "alias": ["lib=/lib.js"]}')
        config = write(name, text)
        write("app/lib.js", "export default 1;")
        write("app/other.js", "export default 2;")
        options = read_config(config).options()
        programs = {
            "compat-var": "var x = 1;",
            "compat-function": "function f() {}",
            "compat-asi": "let x = 1\nlet y = 2",
            "lib=/lib.js": 'import x from "lib"; if (x !== 1) throw x;',
            "lib=/other.js": 'import x from "lib"; if (x !== 2) throw x;',
        }
        for feature, program in programs.items():
            write("app/main.js", program)
            done = subprocess.run(
                [REFERENCE, "/main.js", f"--seed={tmp_path / 'app'}", f"--config={config}"],
                capture_output=True,
                timeout=20,
            )
            # the last definition of an alias wins in the reference
            expected = feature in options.compatibility or feature == (options.aliases or ("",))[-1]
            assert (done.returncode == 0) == expected, (feature, done.stderr)
