"""Bad input gets a sentence: what is wrong, the nearest right spelling, and status 2, with nothing on stdout."""

import os
import subprocess
from pathlib import Path

import pytest

REFERENCE_OPTIONS = """mode source-type compat-asi compat-var compat-function compat-traditional-for-loop
compat-while-loops compat-loose-equality compat-non-strict-mode compat-arguments-object compat-label
compat-for-in-loop experimental-js-module-source import-map alias timeout max-memory max-instructions
unsafe-function-constructor unsafe-shadowrealm deterministic warning-unsupported-features strict-types allowed-host
unsafe-ffi fetch-deny-private-ranges fetch-max-response-bytes no-host-filesystem seed seed-config diff diff-metadata
diff-format diff-output print fs-quota-bytes fs-node-limit config"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Usage: goccia-tools"),
        (["rnu"], 'no such command "rnu"; did you mean "run"?'),
        (["run"], "nothing to run: give FILE, - for standard input, -e CODE, or --entry"),
        (["run", "a.js", "-e", "1"], "give FILE or -e CODE, not both"),
        (["run", "a.js", "b.js"], "unexpected extra argument"),
        (["run", "--timout", "3", "a.js"], 'no such option: --timout; did you mean "--timeout"?'),
        (["run", "--compat-vars", "a.js"], 'did you mean "--compat-var"?'),
        (["run", "--stack-size=3", "a.js"], "there is no --stack-size: the depth of calls is the engine's own"),
        (["run", "--timeout"], "requires an argument"),
        (["run", "--timeout", "soon", "a.js"], '--timeout must be a whole number of milliseconds, or 2s, not "soon"'),
        (["run", "--timeout=-1", "a.js"], "--timeout must be 0 or greater, not -1"),
        (["run", "--max-memory", "64M", "a.js"], '--max-memory must be a whole number, not "64M"'),
        (["run", "--max-instructions=-7", "a.js"], "--max-instructions must be 0 or greater, not -7"),
        (["run", "--max-memory", "9" * 19, "a.js"], "--max-memory must be smaller than 2^53"),
        (["run", "--fs-quota-bytes", "0", "a.js"], "--fs-quota-bytes must be 1 or greater, not 0"),
        (["run", "--fs-node-limit=-1", "a.js"], "--fs-node-limit must be 1 or greater, not -1"),
        (["run", "--mode", "bytecod", "a.js"], 'interpreter, bytecode, not "bytecod"; did you mean "bytecode"?'),
        (["run", "--source-type", "modul", "a.js"], 'did you mean "module"?'),
        (["run", "--diff-format", "xml", "a.js"], '--diff-format must be one of json, unified, not "xml"'),
        (["run", "--engine", "quickj", "a.js"], '--engine must be one of quickjs, goccia, not "quickj"; did you mean'),
        (["run", "--jail", "on", "a.js"], "--jail must be one of auto, required, off"),
        (["run", "--compat", "vra", "a.js"], "unknown compatibility flag"),
        (["run", "--seed", "nowhere", "-e", "1;"], 'nowhere" does not exist'),
        (["run", "--seed", "=/x", "-e", "1;"], "names no host file"),
        (["run", "--seed-config", "nowhere.json", "-e", "1;"], "nowhere.json: cannot be read"),
        (["run", "--import-map", "nowhere.json", "-e", "1;"], "nowhere.json: cannot be read"),
        (["run", "--config", "nowhere.json", "-e", "1;"], "nowhere.json: cannot be read"),
        (["run", "--config", ".", "-e", "1;"], "holds none of goccia.toml"),
        (["run", "--diff-output", "no/d.json", "-e", "1;"], "the folder no does not exist"),
        (["run", "--diff-output", ".", "-e", "1;"], "is a folder"),
        (["run", "nowhere.js"], 'nowhere.js" does not exist'),
        (["run", "/main.js"], "a file that is in the sandbox already is run with --entry /main.js"),
        (["run", "."], "is a folder, not a file; to run a file in it: --seed . --entry /main.js"),
        (["run", "-e", "1;", "--entry", "/"], "the sandbox root is a folder and cannot be a file"),
        (["run", "--request", "nowhere"], "--request nowhere: cannot be read"),
        (["run", "--request", "r.json", "--diff"], "--diff cannot be combined with --request"),
        (["run", "--request", "r.json", "a.js"], "FILE cannot be combined with --request"),
    ],
)
def test_sentence(goccia, folder, arguments, words):
    done = goccia(*arguments)
    assert done.status == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


class TestFiles:
    def refused(self, goccia, *arguments) -> str:
        done = goccia("run", *arguments)
        assert (done.status, done.stdout) == (2, "")
        return done.stderr

    @pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
    def test_symlink_and_fifo(self, goccia, folder):
        (folder / "real.js").write_text("1;")
        (folder / "link.js").symlink_to("real.js")
        os.mkfifo(folder / "fifo.js")
        for arguments in (["link.js"], ["--seed", "link.js", "-e", "1;"]):
            assert "is a symbolic link" in self.refused(goccia, *arguments)
        assert "is a FIFO" in self.refused(goccia, "fifo.js")

    def test_seeded_twice(self, goccia, folder):
        (folder / "a.js").write_text("1;")
        assert '"/a.js" is seeded twice' in self.refused(goccia, "--seed", "a.js", "--seed", "a.js", "-e", "1;")

    def test_a_file_as_a_folder(self, goccia, folder):
        (folder / "a.js").write_text("1;")
        message = self.refused(goccia, "--seed", "a.js=/d", "--seed", "a.js=/d/a.js", "-e", "1;")
        assert '"/d" is a file already and cannot also be a folder' in message

    def test_quota(self, goccia, folder):
        (folder / "a.js").write_bytes(b" " * 100)
        message = self.refused(goccia, "a.js", "--fs-quota-bytes", "64")
        assert "the baseline holds 100 bytes, 36 more than fs_quota_bytes allows (64)" in message

    def test_too_much_on_standard_input(self, process):
        child = process("run", "-", "--fs-quota-bytes", "64", stdin=subprocess.PIPE)
        err = child.communicate(b" " * 100, timeout=60)[1]
        assert child.returncode == 2
        assert b"fs_quota_bytes" in err

    @pytest.mark.skipif(os.name != "posix", reason="needs byte names")
    def test_a_name_that_is_not_utf8(self, process, folder):
        name = os.fsencode(folder) + b"/a\xff.js"
        Path(os.fsdecode(name)).write_bytes(b"1;")
        child = process("run", os.fsdecode(name))
        err = child.communicate(timeout=60)[1]
        assert child.returncode == 2
        assert b"not valid UTF-8" in err

    def test_malformed_config(self, goccia, folder):
        (folder / "c.json").write_text('{\n"timeout": "soon"\n}')
        assert "c.json:2: timeout must be" in self.refused(goccia, "--config", "c.json", "-e", "1;")

    def test_help_lists_every_option_of_the_reference(self, goccia):
        done = goccia("run", "--help")
        assert done.status == 0
        for name in REFERENCE_OPTIONS.split():
            assert f"  --{name} " in done.stdout or f"  --{name}\n" in done.stdout, name
