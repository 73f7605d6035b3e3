"""``--request``: a run-request of the wire in, a run-result of the wire out, whatever the request is."""

import base64
import json
import subprocess

import pytest


def request(code: str, **blocks) -> dict:
    files = [{"path": "/main.js", "kind": "file", "base64": base64.b64encode(code.encode()).decode()}]
    return {"type": "run-request", "v": 1, "entry": "/main.js", "baseline": {"files": files}, **blocks}


def test_a_request_in_a_file(goccia, folder):
    (folder / "r.json").write_text(json.dumps(request("console.log(1); 2;")))
    done = goccia("run", "--request", "r.json")
    result = json.loads(done.stdout)
    assert (done.status, result["output"], result["resultValue"], len(result)) == (0, "1\n", 2, 12)
    assert done.stderr == ""


def test_a_request_on_standard_input(process):
    child = process("run", "--request", "-", stdin=subprocess.PIPE)
    out, _ = child.communicate(json.dumps(request("null.x;")).encode(), timeout=60)
    assert json.loads(out)["failureKind"] == "script-error"
    assert child.returncode == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ('{"v": 1', "not JSON: "),
        ("[]", "object"),
        (json.dumps({**request(""), "v": 2}), "2"),
        (json.dumps({"type": "run-request", "v": 1}), "entry"),
        (json.dumps(request("", execution={"timeoutMs": -1})), "execution.timeoutMs"),
        (json.dumps(request("", execution={"fsQuotaBytes": 0}, run={"isolated": False})), "run.isolated"),
    ],
)
def test_no_request_is_a_host_error_in_kind(goccia, folder, text, words):
    (folder / "r.json").write_text(text)
    done = goccia("run", "--request", "r.json")
    result = json.loads(done.stdout)
    assert (done.status, result["failureKind"], result["ok"]) == (6, "host-error", False)
    assert words in result["errorMessage"]
