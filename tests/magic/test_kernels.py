"""The magic in real kernels, by the programs that run notebooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pexpect
import psutil
import pytest
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

pytestmark = pytest.mark.xdist_group("kernels")

LOAD = "%load_ext goccia_tools"
FAILING = "%%sandbox\nconsole.log('before');\nconst a = ;"


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")


def notebook(*cells: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])


def executed(*cells: str, allow_errors: bool = False) -> nbformat.NotebookNode:
    made = notebook(*cells)
    NotebookClient(made, timeout=60, kernel_name="python3", allow_errors=allow_errors).execute()
    return made


class TestNbclient:
    def test_a_failure_stops_the_notebook(self):
        made = notebook(LOAD, FAILING, "reached = 1")
        with pytest.raises(CellExecutionError) as caught:
            NotebookClient(made, timeout=60, kernel_name="python3").execute()
        assert (caught.value.ename, made.cells[2].execution_count) == ("ScriptError", None)
        assert "SyntaxError" in caught.value.evalue
        report = re.sub(r"\x1b\[\d+m", "", caught.value.traceback)
        assert "--> /cell.js:2:11" in report
        assert "Traceback" not in report

    def test_with_errors_allowed_the_rest_runs(self):
        made = executed(LOAD, FAILING, "%%sandbox\n6 * 7;", allow_errors=True)
        shown, error = made.cells[1].outputs
        assert shown.data["text/plain"].startswith("script-error: /cell.js failed")
        assert (error.output_type, error.ename) == ("error", "ScriptError")
        assert error.traceback
        assert made.cells[2].outputs[0].data["text/plain"].endswith("value:\n  42")

    def test_floods_leave_a_small_notebook(self):  # notebook#2364, ipython#6516
        made = executed(
            LOAD,
            "%%sandbox --compat all --timeout 1s --no-raise-error\nfor (;;) console.log(1);",
            "%%sandbox --no-raise-error --timeout 40s --max-memory 1000000000\n"
            "console.log('x'.repeat(100 * 1024 * 1024));",
            "%%sandbox --no-raise-error --timeout 40s\n"
            "for (const i of Array.from({ length: 100000 })) { console.log(); }",
            "%%sandbox --timeout 40s\n'x'.repeat(10000000);",
            "%%sandbox --timeout 40s\nArray.from({ length: 100000 }, (x, i) => ({ i, text: 'x'.repeat(50) }));",
        )
        assert len(nbformat.writes(made)) < 1_000_000
        assert all("not shown" in cell.outputs[0].data["text/plain"] for cell in made.cells[1:4])

    def test_a_long_run_is_seen_to_run_and_leaves_only_its_result(self):
        made = executed(LOAD, "%%sandbox --timeout 2500 --compat all --expect timeout\nwhile (true);")
        assert len(made.cells[1].outputs) == 1
        assert made.cells[1].outputs[0].data["text/plain"].startswith("timeout: /cell.js failed")

    def test_a_child_that_is_killed_is_an_error_at_once(self):  # nbclient#88
        kill = (
            "import psutil, threading, time\ndef kill():\n    time.sleep(0.5)\n"
            "    for child in psutil.Process().children(recursive=True):\n        child.kill()\n"
            "threading.Thread(target=kill).start()"
        )
        made = executed(
            LOAD,
            kill,
            "%%sandbox --timeout 30s --compat all --launcher spawn\nwhile (true);",
            "1 + 1",
            allow_errors=True,
        )
        assert made.cells[2].outputs[-1].ename == "ChildProcessCrash"
        assert made.cells[3].outputs[0].data["text/plain"] == "2"


@pytest.fixture
def kernel(_own_places: None) -> Iterator[tuple[KernelManager, object]]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.context.destroy()


def run(client, code, on_busy=None):
    """Execute code; every message of its kind that came back."""
    sent = client.execute(code)
    replies = []
    while True:
        message = client.get_iopub_msg(timeout=30)
        if message["parent_header"].get("msg_id") != sent:
            continue
        replies.append(message)
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            client.get_shell_msg(timeout=30)
            return replies
        if message["msg_type"] == "execute_input" and on_busy is not None:
            on_busy()


class TestInterrupt:
    def test_it_ends_the_child_and_the_cell_and_the_kernel_goes_on(self, kernel):  # ipython#14649
        manager, client = kernel
        run(client, LOAD)
        run(client, "%%sandbox\n1;")
        process = psutil.Process(manager.provisioner.process.pid)
        started = []

        def interrupt():
            time.sleep(1.5)
            started.extend(process.children(recursive=True))
            manager.interrupt_kernel()

        before = time.monotonic()
        replies = run(client, "%%sandbox --timeout 60s --compat all\nwhile (true);", interrupt)
        assert time.monotonic() - before < 10
        error = next(message["content"] for message in replies if message["msg_type"] == "error")
        assert error["ename"] == "KeyboardInterrupt"
        told = [
            message["content"]["data"]["text/plain"] for message in replies if message["msg_type"] == "display_data"
        ]
        assert any(text.startswith("/cell.js is running: ") for text in told)
        assert told[-1].startswith("interrupted: /cell.js was stopped after ")
        assert len(started) >= 1
        busy = [child for child in started if child.is_running() and child.cpu_percent(0.2) > 50]
        assert busy == []
        assert any("42" in str(message["content"]) for message in run(client, "6 * 7"))
        assert any("ok: /cell.js ran" in str(message["content"]) for message in run(client, "%%sandbox\n1;"))


class TestPrograms:
    def test_papermill(self, tmp_path):
        nbformat.write(notebook(LOAD, "%%sandbox --out r\n6 * 7;", FAILING, "late = 1"), tmp_path / "in.ipynb")
        done = subprocess.run(
            [sys.executable, "-m", "papermill", "in.ipynb", "out.ipynb", "-k", "python3", "--no-progress-bar"],
            cwd=tmp_path, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        assert done.returncode != 0
        assert "SyntaxError" in done.stderr
        assert "--> /cell.js:2:11" in done.stderr
        made = nbformat.read(tmp_path / "out.ipynb", 4)
        assert "6 * 7" in str(made.cells)
        assert not any(cell.get("execution_count") for cell in made.cells if cell.source == "late = 1")

    def test_nbconvert_to_html_escapes_what_a_program_prints(self, tmp_path):  # notebookjs#28, #50
        source = (
            "%%sandbox\nimport fs from 'fs';\nconst bad = '</pre><img src=x onerror=alert(1)>';\nconsole.log(bad);\n"
            "console.log('\\u001b[31mred\\u001b[0m');\nfs.writeFileSync('/<b>.txt', bad);\nbad;"
        )
        nbformat.write(notebook(LOAD, source), tmp_path / "in.ipynb")
        subprocess.run(
            [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "in.ipynb"],
            cwd=tmp_path, check=True, capture_output=True, timeout=100,
        )  # fmt: skip
        page = (tmp_path / "in.html").read_text()
        assert "&lt;/pre&gt;&lt;img src=x onerror=alert(1)&gt;" in page
        assert "<img src=x" not in page
        assert "/&lt;b&gt;.txt: created" in page
        assert "\x1b" not in page

    def test_jupyter_console_shows_text(self, tmp_path):  # deno#20553
        environment = {**os.environ, "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
        console = pexpect.spawn(
            sys.executable, ["-m", "jupyter_console", "--simple-prompt"], env=environment, encoding="utf-8", timeout=60,
            cwd=str(tmp_path),
        )  # fmt: skip
        try:
            console.expect(r"In \[1\]")
            console.sendline(LOAD)
            console.expect(r"In \[2\]")
            console.sendline("r = %sandbox 6 * 7")
            console.expect(r"In \[3\]")
            console.sendline("%sandbox --out bad null.x")
            console.expect("ScriptError|TypeError")
            console.expect(r"In \[4\]")
            console.sendline("r")
            console.expect("value:\r?\n  42")
        finally:
            console.sendline("quit()")
            console.close(force=True)
