"""A program that honours GocciaSandboxRunner's command line, with the embedded engine behind it.

So the engine goccia is proven where the real one is not installed. It says on its standard error what a runner says,
exits as a runner does, and writes its diff as a runner does; what it cannot do (virtual modules) it maps to files.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

FLAGS = {
    "--warning-unsupported-features": ("engine", "warnUnsupportedFeatures"),
    "--strict-types": ("engine", "strictTypes"),
    "--unsafe-function-constructor": ("engine", "unsafeFunctionConstructor"),
    "--unsafe-shadowrealm": ("engine", "unsafeShadowRealm"),
    "--deterministic": ("execution", "deterministic"),
    "--unsafe-ffi": ("execution", "unsafeFFI"),
    "--fetch-deny-private-ranges": ("fetch", "denyPrivateRanges"),
}
COUNTS = {
    "--max-memory": ("engine", "maxMemoryBytes"),
    "--timeout": ("execution", "timeoutMs"),
    "--max-instructions": ("execution", "maxInstructions"),
    "--fs-quota-bytes": ("execution", "fsQuotaBytes"),
    "--fs-node-limit": ("execution", "fsNodeLimit"),
    "--fetch-max-response-bytes": ("fetch", "maxResponseBytes"),
}


def fail(text: str) -> None:
    print(text, file=sys.stderr)
    raise SystemExit(1)


def parse(words: list[str]) -> tuple[dict, dict]:
    """The run-request that a command line means, and what it says beside that."""
    blocks: dict[str, dict] = {"engine": {"compatibility": []}, "fetch": {}, "execution": {"aliases": []}}
    beside: dict = {"seeds": [], "modules": {}, "hosts": [], "diff": None, "metadata": False}
    entry = None
    for word in words:
        name, _, value = word.partition("=")
        if not word.startswith("--"):
            entry = word
        elif name in FLAGS:
            blocks[FLAGS[name][0]][FLAGS[name][1]] = True
        elif name in COUNTS:
            blocks[COUNTS[name][0]][COUNTS[name][1]] = int(value)
        elif name == "--mode":
            blocks["execution"]["mode"] = {"interpreted": "interpreter", "bytecode": "bytecode"}[value]
        elif name == "--source-type":
            blocks["engine"]["sourceType"] = value
        elif name.startswith(("--compat-", "--experimental-")):
            blocks["engine"]["compatibility"].append(name[2:])
        elif name == "--alias":
            if value.find("=") < 1:
                fail("Invalid --alias argument. Use --alias key=value.")
            blocks["execution"]["aliases"].append(value)
        elif name == "--import-map":
            blocks["execution"]["importMap"] = json.loads(Path(value).read_text("utf-8"))
        elif name == "--allowed-host":
            beside["hosts"].append(value)
        elif name == "--seed-config":
            beside["seeds"] += json.loads(Path(value).read_text("utf-8"))["files"]
        elif name == "--module":
            module, _, text = value.partition("=")
            beside["modules"][module] = text
        elif name == "--diff-output":
            beside["diff"] = value
        elif name == "--diff-metadata":
            beside["metadata"] = True
        elif word not in ("--no-host-filesystem", "--diff-format=json"):
            fail(f"Error: Unknown option: {name}")
    if entry is None:
        fail("Error: expected one sandbox entry path.")
    files = []
    for seed in beside["seeds"]:
        if "from" in seed:
            if list(Path(seed["from"]).iterdir()):
                fail("this program takes no folder with files in it")
            files.append({"path": seed["to"], "kind": "dir"})
        else:
            files.append({"path": seed["path"], "kind": "file", "base64": seed["base64"]})
    for number, (module, text) in enumerate(beside["modules"].items()):
        path = f"/module-{number}.js"
        files.append({"path": path, "kind": "file", "base64": base64.b64encode(text.encode()).decode()})
        known = blocks["execution"].get("importMap") or {}
        blocks["execution"]["importMap"] = {**known, "imports": {**known.get("imports", {}), module: path}}
        for quota, more in (("fsQuotaBytes", len(text.encode())), ("fsNodeLimit", 1)):
            blocks["execution"][quota] += more
    request = {
        "type": "run-request",
        "v": 1,
        "entry": entry,
        "engine": {**blocks["engine"], "fetch": blocks["fetch"]},
        "execution": blocks["execution"],
        "capabilities": {"allowedFetchHosts": beside["hosts"]},
        "baseline": {"files": files},
    }
    return request, beside


def main() -> None:
    from goccia_tools.child import diff, main
    from goccia_tools.child.engines.quickjs import QuickJS
    from goccia_tools.messages import read_request

    asked, beside = parse(sys.argv[1:])
    request = read_request(asked)
    sys.setrecursionlimit(12_000)
    files = main.build_filesystem(request)
    engine = QuickJS()
    engine.prepare()
    before = diff.capture(files)
    printed: list[str] = []
    outcome = engine.run(request, files, printed.append)
    sys.stdout.buffer.write("".join(printed).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    sys.stderr.write(outcome.stderr)
    sys.stderr.flush()
    if beside["diff"]:
        text = diff.json_diff(before, files, metadata=beside["metadata"], budget_bytes=0)
        Path(beside["diff"]).write_text(text, "utf-8")
    sys.exit(0 if outcome.ok else 1)


if __name__ == "__main__":
    main()
