from pathlib import Path

import pytest

from goccia_tools.baseline import Seed
from goccia_tools.errors import ConfigError, SeedError
from goccia_tools.seedspec import read_seed_file, seed_of_spec


@pytest.mark.parametrize(
    ("spec", "seed"),
    [
        ("app", Seed("/", Path("app"))),
        ("app=/src", Seed("/src", Path("app"))),
        ("a.txt=/b=c", Seed("/b=c", Path("a.txt"))),
        ("app=", Seed("", Path("app"))),
    ],
)
def test_spec(spec, seed):
    assert seed_of_spec(spec) == seed


@pytest.mark.parametrize("spec", ["", "=/x"])
def test_spec_without_a_host_file(spec):
    with pytest.raises(SeedError, match="names no host file"):
        seed_of_spec(spec)


def test_seed_file(tmp_path):
    path = tmp_path / "seed.json"
    path.write_text(
        '{"files": [{"from": "project", "to": "/p"}, {"from": "/abs"}, {"path": "/a", "text": "é"},'
        ' {"path": "/b", "base64": "AQID"}]}',
        encoding="utf-8",
    )
    assert read_seed_file(path) == [
        Seed("/p", tmp_path / "project"),
        Seed("/", Path("/abs")),
        Seed("/a", "é"),
        Seed("/b", b"\1\2\3"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", 'seed.json:1: a seed file is an object with an array "files"'),
        ('{\n"files": {}}', 'an object with an array "files"'),
        ('{\n"files": [3]}', "seed.json:2: files[0] must be an object"),
        ('{"files": [{"path": "/a", "txt": ""}]}', 'files[0] has the unknown member "txt"; did you mean "text"?'),
        ('{"files": [{"path": "/a"}]}', "files[0] must have exactly one of from, text and base64"),
        ('{"files": [{"path": "/a", "text": "", "base64": ""}]}', "exactly one of"),
        ('{"files": [{"text": ""}]}', 'files[0] has "text" but no "path"'),
        ('{"files": [{"path": "/a", "text": 3}]}', "files[0].text must be a string"),
        ('{"files": [{"path": "/a", "base64": "A"}]}', "files[0].base64 is not valid base64"),
        ('{"files": [{"path": "/a", "base64": "A-_="}]}', "files[0].base64 is not valid base64"),
        ('{\n"files": [\n', "seed.json:3: Expecting value"),
    ],
)
def test_malformed_seed_file(tmp_path, text, words):
    path = tmp_path / "seed.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_seed_file(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_missing_seed_file(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_seed_file(tmp_path / "seed.json")
