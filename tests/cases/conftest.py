from pathlib import Path

import pytest

from goccia_tools.cases import CaseFileError, load_cases


@pytest.fixture
def load(tmp_path):
    """Loads the cases of a text as if it were the file a.sandbox.js."""

    def load(text, **keywords):
        return load_cases(tmp_path / "a.sandbox.js", text=text, **keywords)

    return load


@pytest.fixture
def head(load):
    """Loads the cases of front matter with a given body."""

    def head(yaml, body="1;\n", **keywords):
        return load(f"/*---\n{yaml}\n---*/\n{body}", **keywords)

    return head


@pytest.fixture
def refused(head):
    """The line and sentence with which front matter is refused."""

    def refused(yaml, body="1;\n"):
        with pytest.raises(CaseFileError) as caught:
            head(yaml, body)
        assert str(caught.value).startswith(f"{caught.value.path}:{caught.value.line}: ")
        assert isinstance(caught.value.path, Path)
        return caught.value.line, caught.value.message

    return refused
