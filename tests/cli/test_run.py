"""``goccia-tools run``: what it prints, where, and the status it ends with."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

HELLO = 'console.log("hello");\n'


class TestProgram:
    def test_a_file_runs_under_its_own_name(self, goccia, folder):
        (folder / "hello.js").write_text("const f = () => null.x; f();")
        done = goccia("run", "hello.js")
        assert (done.status, done.stdout) == (1, "")
        assert "--> /hello.js:1:" in done.stderr
        assert done.stderr.splitlines()[-1].startswith("goccia-tools: script-error: /hello.js failed after ")

    def test_output_is_exact_and_the_verdict_is_apart(self, goccia, folder):
        (folder / "hello.js").write_text('console.log("é😀\\r\\n\\u0000\\x1b[31m");', encoding="utf-8")
        done = goccia("run", "hello.js")
        assert done.stdout == "é😀\r\n\0\x1b[31m\n"
        assert done.stderr.startswith("goccia-tools: ok: /hello.js ran in ")
        assert done.stderr.count("\n") == 1

    def test_code(self, goccia):
        assert goccia("run", "-e", "console.log(1);").stdout == "1\n"
        assert "--> /main.js:1:" in goccia("run", "-e", "const f = () => null.x; f();").stderr

    def test_standard_input(self, process):
        child = process("run", "-", stdin=subprocess.PIPE)
        assert child.communicate(HELLO.encode(), timeout=60)[0] == b"hello\n"

    def test_entry_names_the_file(self, goccia, folder):
        (folder / "hello.js").write_text("const f = () => null.x; f();")
        assert "--> /lib/a.js:1:" in goccia("run", "hello.js", "--entry", "lib/a.js").stderr

    def test_a_seeded_file(self, goccia, folder):
        (folder / "app" / "lib").mkdir(parents=True)
        (folder / "app" / "main.js").write_text('import x from "./lib/x.js"; console.log(x);')
        (folder / "app" / "lib" / "x.js").write_text("export default 42;")
        assert goccia("run", "--seed", "app", "--entry", "/main.js").stdout == "42\n"
        assert goccia("run", "--seed=app=/p/", "--entry", "/p/main.js").stdout == "42\n"
        # the file named wins over its own copy among the seeds
        assert goccia("run", "app/main.js", "--seed", "app").stdout == "42\n"

    def test_seed_file(self, goccia, folder):
        (folder / "seed.json").write_text('{"files": [{"path": "/d.json", "text": "[7]"}, {"from": "x.js"}]}')
        (folder / "x.js").write_text('import d from "/d.json" with { type: "json" }; console.log(d[0]);')
        assert goccia("run", "--seed-config", "seed.json", "--entry", "x.js").stdout == "7\n"

    def test_import_map_and_alias(self, goccia, folder):
        (folder / "map.json").write_text('{"imports": {"lib": "/real.js"}}')
        (folder / "real.js").write_text("export default 1;")
        code = 'import a from "lib"; import b from "@/real.js"; console.log(a + b);'
        done = goccia("run", "-e", code, "--seed", "real.js", "--import-map", "map.json", "--alias", "@/=/")
        assert done.stdout == "2\n"

    def test_a_missing_entry_is_the_programs_fault(self, goccia):
        done = goccia("run", "--entry", "/nowhere.js")
        assert done.status == 1
        assert "sandbox entry file not found: /nowhere.js" in done.stderr


class TestStatus:
    @pytest.mark.parametrize(
        ("arguments", "status", "kind"),
        [
            (["-e", "1;"], 0, "ok"),
            (["-e", "throw new Error('no');"], 1, "script-error"),
            (["-e", "let x = ;"], 1, "script-error"),
            (["--max-instructions", "20000", "--compat", "all", "-e", "for (;;) ;"], 3, "resource-limit"),
            (["--timeout", "300", "--compat", "all", "-e", "for (;;) ;"], 4, "timeout"),
            (["--timeout", "0.3s", "--compat", "all", "-e", "for (;;) ;"], 4, "timeout"),
            (["--unsafe-ffi", "-e", "1;"], 6, "host-error"),
        ],
    )
    def test_status(self, goccia, arguments, status, kind):
        done = goccia("run", *arguments)
        assert done.status == status
        assert done.stderr.splitlines()[-1].startswith(f"goccia-tools: {kind}: /main.js")

    def test_compat_flags_add_up(self, goccia):
        code = "var x = 1\nif (x == '1') console.log('same')"
        assert goccia("run", "-e", code, "--compat-var", "--compat", "asi,compat-loose-equality").stdout == "same\n"


class TestResult:
    @pytest.mark.parametrize(
        ("code", "shown"),
        [
            ("40 + 2;", "42\n"),
            ("'a\\nb';", "a\nb\n"),
            ("({ a: [1] });", '{"a":[1]}\n'),
            ("1e21;", "1e+21\n"),
            ("undefined;", ""),
        ],
    )
    def test_print(self, goccia, code, shown):
        assert goccia("run", "--print", "-e", code).stdout == shown

    WRITE = 'import fs from "fs"; fs.writeFileSync("/out.txt", "x");'

    def test_diff(self, goccia):
        done = goccia("run", "--diff", "-e", self.WRITE)
        (change,) = json.loads(done.stdout)["changes"]
        assert (change["kind"], change["path"]) == ("create", "/out.txt")
        assert done.stderr.endswith(" ms, 1 file change\n")

    def test_unified_diff(self, goccia):
        done = goccia("run", "--diff", "--diff-format", "unified", "-e", self.WRITE)
        assert "+++ out.txt" in done.stdout
        assert "\n+x\n" in done.stdout

    def test_metadata_implies_a_diff(self, goccia):
        assert "metadataChanges" in json.loads(goccia("run", "--diff-metadata", "-e", "1;").stdout)

    def test_diff_to_a_file(self, goccia, folder):
        done = goccia("run", "--diff-output", "d.json", "-e", self.WRITE)
        assert done.stdout == ""
        assert json.loads((folder / "d.json").read_text())["changes"]

    def test_json(self, goccia):
        done = goccia("run", "--json", "--diff", "--print", "-e", "console.log(1); 2;")
        result = json.loads(done.stdout)
        assert len(result) == 12
        assert (result["type"], result["v"], result["output"], result["resultValue"]) == ("run-result", 1, "1\n", 2)
        assert result["diffRequested"]
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1

    def test_json_of_a_failure(self, goccia):
        done = goccia("run", "--json", "-e", "null.x;")
        assert done.status == 1
        assert json.loads(done.stdout)["failureKind"] == "script-error"
        assert done.stderr == ""

    def test_quiet(self, goccia):
        assert goccia("run", "-q", "-e", "console.log(1);").stderr == ""
        assert "goccia-tools" not in goccia("run", "-q", "-e", "null.x;").stderr

    def test_lone_surrogates_become_replacement_characters(self, goccia):
        done = goccia("run", "--print", "-e", "console.log('😀'[0]); '😀'[1];")
        assert done.stdout == "\ufffd\n\ufffd\n"
        done = goccia("run", "-e", "throw new Error('😀'[0]);")
        assert "\ufffd" in done.stderr


class TestConfig:
    def test_named(self, goccia, folder):
        (folder / "goccia.toml").write_text("compat-var = true\nprint = true\n")
        for name in ("goccia.toml", "."):
            assert goccia("run", "--config", name, "-e", "var x = 5; x;").stdout == "5\n"

    def test_the_command_line_wins(self, goccia, folder):
        (folder / "c.json").write_text('{"timeout": 60000, "compat": "all"}')
        done = goccia("run", "--config", "c.json", "--timeout", "200", "-e", "while (true) ;")
        assert done.status == 4

    def test_a_discovered_file_is_not_applied_and_said(self, goccia, folder):
        (folder / "goccia.json").write_text('{"compat-var": true}')
        (folder / "below").mkdir()
        (folder / "below" / "a.js").write_text("var x;")
        done = goccia("run", "below/a.js")
        assert done.status == 1
        assert f"note: {folder / 'goccia.json'} is not applied; a run takes only what --config names" in done.stderr
        assert "note:" not in goccia("run", "-q", "-e", "1;").stderr
        assert json.loads(goccia("run", "--json", "-e", "1;").stdout)["ok"]

    def test_a_key_without_effect_is_said(self, goccia, folder):
        (folder / "c.json").write_text('{"timout": 1}')
        assert 'c.json:1: unknown key "timout"' in goccia("run", "--config", "c.json", "-e", "1;").stderr


class TestStreams:
    def test_a_reader_that_leaves_early_is_no_error(self, process, folder):
        (folder / "many.js").write_text("for (const i of Array.from({ length: 50000 })) console.log('0123456789');")
        child = process("run", "many.js")
        assert child.stdout.readline() == b"0123456789\n"
        child.stdout.close()
        assert child.wait(60) == 0
        assert child.stderr.read().startswith(b"goccia-tools: ok: /many.js ran in ")
        child.stderr.close()

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_disk_is_a_host_error(self, process):
        with open("/dev/full", "wb") as full:
            child = process("run", "-e", "console.log(1);", stdout=full)
        assert b"cannot write to standard output: No space left on device" in child.communicate(timeout=60)[1]
        assert child.returncode == 6

    @pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
    @pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&-", "0<&- 1>&- 2>&-"])
    def test_closed_streams(self, process, closed):
        child = process("run", "-e", "console.log(1);", prefix=("sh", "-c", f'exec "$@" {closed}', "sh"))
        out, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
        assert b"Traceback" not in err
        assert out == (b"" if "1>" in closed else b"1\n")

    def test_any_locale(self, process):
        child = process(
            "run", "-e", "console.log('é');", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
        )
        assert child.communicate(timeout=60)[0] == "é\n".encode()

    @pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
    def test_interrupt(self, process):
        child = process("run", "--timeout", "0", "--compat", "all", "-e", "for (;;) ;", start_new_session=True)
        time.sleep(2)
        assert child.poll() is None
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=20)[1]
        assert time.monotonic() - started < 5
        assert child.returncode == -signal.SIGINT
        assert err.strip() == b"goccia-tools: interrupted"

    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    @pytest.mark.parametrize(
        ("settings", "colored"), [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
    )
    def test_color_only_on_a_terminal(self, process, settings, colored):
        import pty

        master, slave = pty.openpty()
        child = process("run", "-e", "null.x;", stderr=slave, env=settings)
        os.close(slave)
        shown = b""
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:  # Linux says so when the last writer is gone
                break
            if not data:
                break
            shown += data
        os.close(master)
        child.communicate(timeout=60)
        assert (b"\x1b[" in shown) == colored
        assert b"TypeError" in shown
