from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

from goccia_tools import load_ipython_extension, unload_ipython_extension


@dataclass
class Shown:
    """What running a cell showed and gave."""

    outputs: list[RichOutput]
    text: str
    result: Any
    error: BaseException | None

    @property
    def plain(self) -> str:
        return "\n".join(output.data["text/plain"] for output in self.outputs)

    @property
    def html(self) -> str:
        return "\n".join(output.data.get("text/html", "") for output in self.outputs)


class Notebook:
    """An IPython shell with the extension loaded."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    @property
    def names(self) -> dict[str, Any]:
        return self.shell.user_ns

    def run(self, text: str) -> Shown:
        with capture_output() as captured:
            done = self.shell.run_cell(text, store_history=True)
        return Shown(captured.outputs, captured.stdout, done.result, done.error_in_exec or done.error_before_exec)

    def cell(self, line: str, source: str) -> Shown:
        return self.run(f"%%sandbox {line}\n{source}")


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InteractiveShell]:
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    yield InteractiveShell.instance(config=config, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    InteractiveShell.clear_instance()


@pytest.fixture
def notebook(shell: InteractiveShell) -> Iterator[Notebook]:
    shell.reset(new_session=True)
    shell.config.pop("Sandbox", None)  # what %config of an earlier test left
    load_ipython_extension(shell)
    yield Notebook(shell)
    unload_ipython_extension(shell)
