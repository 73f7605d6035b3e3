"""What an import brings along: arrows point one way, and the child stays light."""

import ast
import graphlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import goccia_tools
from goccia_tools.launch.spawn import child_command
from goccia_tools.request import encode_request

PACKAGE = Path(goccia_tools.__file__).parent
ROOT = PACKAGE.parent


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: the examples that `goccia-tools init` writes are tests of somebody else
NOT_IMPORTED = ("__main__.py", "conftest.py", "test_python.py")
MODULES = sorted(module_name(path) for path in PACKAGE.rglob("*.py") if path.name not in NOT_IMPORTED)

#: never needed to run a program, whoever imports what; the faces that do need one are named
FOREIGN = {
    "pytest": (),
    "_pytest": (),
    "IPython": ("goccia_tools.magic",),
    "ipykernel": ("goccia_tools.magic",),
    "nbformat": ("goccia_tools.grading", "goccia_tools.notebook"),
    "sqlalchemy": ("goccia_tools.grading",),
    "dask": ("goccia_tools.grading",),
    "jinja2": ("goccia_tools.grading",),
    "numpy": (),
    "asyncio": ("goccia_tools.grading", "goccia_tools.magic"),
}
#: what the child must never have: it starts nothing, and it starts fast
NOT_IN_THE_CHILD = (
    "subprocess",
    "pytest",
    "IPython",
    "asyncio",
    "multiprocessing",
    "socket",
    "ssl",
    "orjson",
    "logging",
)
#: each costs a spawned child milliseconds at every run
HEAVY = (
    "enum",
    "dataclasses",
    "typing",
    "json",
    "re",
    "ctypes",
    "inspect",
    "importlib.metadata",
    "collections",
    "tempfile",
)


def brought_along(code):
    """The modules that are loaded after ``code`` ran in a fresh interpreter."""
    code = f"import sys; before = set(sys.modules); {code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_alone_and_brings_nothing_foreign(name):
    found = brought_along(f"import {name}")
    wrong = {
        foreign for foreign, faces in FOREIGN.items() if foreign in found and not name.startswith(tuple(faces) or "-")
    }
    assert not wrong


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("goccia_tools.child")])
def test_a_module_of_the_child_knows_nothing_of_the_parents_side(name):
    found = brought_along(f"import {name}")
    allowed = ("goccia_tools.child", "goccia_tools.messages", "goccia_tools.frames", "goccia_tools.jail")
    beyond = {module for module in found if module.startswith("goccia_tools.") and not module.startswith(allowed)}
    assert not beyond
    reaching = (
        "goccia_tools.child.engines.goccia",
        "goccia_tools.child.fetch.client",
        "goccia_tools.child.fetch.resolver",
    )
    if not name.startswith(reaching):
        assert not found & set(NOT_IN_THE_CHILD)


def imports_of(name):
    """The modules of this package that a module imports when it is imported itself."""
    path = ROOT.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.Module(list(at_import(ast.parse(path.read_text()).body)), [])):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            yield from (
                f"{module}.{alias.name}" if f"{module}.{alias.name}" in MODULES else module for alias in node.names
            )


def at_import(body):
    """The statements that run at import, so neither functions nor what only a type checker reads."""
    for node in body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


ARROWS = {name: {found for found in imports_of(name) if found in MODULES and found != name} for name in MODULES}


def test_imports_go_round_in_no_circle():
    with_all_below = graphlib.TopologicalSorter(ARROWS)
    assert len(list(with_all_below.static_order())) == len(MODULES)


@pytest.mark.parametrize("face", ["cli", "magic", "grading", "cases", "display"])
def test_a_face_knows_the_door_and_nothing_behind_it(face):
    behind = ("exchange", "launch", "classify", "observation", "pipes", "stderrtail", "request", "child")
    for name in MODULES:
        if f"{name}.".startswith(f"goccia_tools.{face}."):
            beyond = {found for found in ARROWS[name] if found.split(".")[1] in behind}
            assert beyond == set(), name


def test_only_launchers_start_processes():
    starters = {name for name in MODULES if {"subprocess", "multiprocessing", "pty"} & set(imports_of(name))}
    # grading may use other machines, the other engine is a program of its own, and the doctor asks for versions
    allowed = (
        "goccia_tools.launch.",
        "goccia_tools.grading.",
        "goccia_tools.child.engines.goccia",
        "goccia_tools.doctor",
    )
    assert {name for name in starters if not name.startswith(allowed)} == set()


def test_the_package_itself_is_cheap():
    assert {name for name in brought_along("import goccia_tools") if not name.startswith("_")} <= {
        "goccia_tools",
        "__future__",
    }


def test_the_public_names_do_not_bring_the_child():
    found = brought_along("import goccia_tools; goccia_tools.run; goccia_tools.Runner")
    assert not {name for name in found if name.startswith("goccia_tools.child")}


SPY = """
import atexit, sys
{roots}
import posix
leave = posix._exit
def tell(status):
    posix.write(2, ("\\n".join(sys.modules)).encode())
    leave(status)
posix._exit = tell
from goccia_tools.child.main import main
main([])
"""


def loaded_by_a_run(source, **fields):
    """The modules a spawned child has at the end of a run."""
    command = child_command()
    boot = command[command.index("-c") + 1]
    roots = boot[: boot.index("try:")]
    payload = encode_request(goccia_tools.Runner().request(source, **fields))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", SPY.format(roots=roots)],
        input=len(payload).to_bytes(4, "big") + payload,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert json.loads(done.stdout[4:])["ok"], done
    return set(done.stderr.decode().split("\n"))


def test_an_ordinary_run_loads_nothing_heavy():
    loaded_by_a_run("1;")  # the first run on a machine compiles what later ones find kept
    found = loaded_by_a_run("const answer = 6 * 7; console.log(answer); answer;")
    assert "goccia_tools.child.main" in found
    assert found & {*NOT_IN_THE_CHILD, *HEAVY} == set()
