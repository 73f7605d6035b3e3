"""The wheel and the sdist build, and the wheel works in an environment that holds nothing else."""

import json
import os
import struct
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_", "PYTEST"))}


def call(*command: object, stdin=subprocess.DEVNULL, cwd=None) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, env=CLEAN, timeout=400, stdin=stdin, cwd=cwd
    )
    assert done.returncode == 0, (command, done.stdout.decode(), done.stderr.decode())
    return done


@pytest.mark.timeout(900)
@pytest.mark.adr("C02")
def test_wheel_and_sdist_work_in_a_clean_environment(tmp_path):
    # without --wheel or --sdist the wheel is built from the sdist, so both are complete
    call(sys.executable, "-m", "build", "-q", "--outdir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    (sdist,) = tmp_path.glob("*.tar.gz")

    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("goccia_tools/py.typed", "goccia_tools/child/__main__.py", "pytest_goccia/__init__.py"):
        assert needed in names
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "goccia_tools").rglob("*.js")}
    assert sources <= set(names)
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"goccia_tools", "pytest_goccia"}
    assert any(name.endswith("LICENSE") for name in names)
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", ".ci/run", "tests/test_packaging.py", "pyproject.toml"} <= inside

    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    call(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
    installed = {item["name"].lower() for item in json.loads(call(python, "-m", "pip", "list", "--format=json").stdout)}
    assert not installed & {"pytest", "ipython", "ipykernel", "sqlalchemy", "jinja2", "dask", "nbformat"}

    done = call(scripts / "goccia-tools", "run", "-e", "console.log(6 * 7);", cwd=tmp_path)
    assert done.stdout == b"42\n"
    assert done.stderr.startswith(b"goccia-tools: ok: /main.js ran in ")

    source = "import goccia_tools; print(goccia_tools.run('1 + 1;').result_value)"
    assert call(python, "-I", "-c", source, cwd=tmp_path).stdout.split() == [b"2"]

    request = json.dumps(
        {
            "type": "run-request",
            "v": 1,
            "entry": "/main.js",
            "baseline": {"files": [{"path": "/main.js", "kind": "file", "base64": "MSArIDE7"}]},
        }
    ).encode()
    with open(tmp_path / "request", "w+b") as file:
        file.write(struct.pack(">I", len(request)) + request)
        file.seek(0)
        answer = call(python, "-I", "-m", "goccia_tools.child", stdin=file, cwd=tmp_path).stdout
    assert struct.unpack(">I", answer[:4])[0] == len(answer) - 4
    assert json.loads(answer[4:])["resultValue"] == 2
