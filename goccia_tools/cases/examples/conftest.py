import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "examples: marks one of the examples")


@pytest.fixture
def prices() -> dict[str, int]:
    return {"apple": 2, "pear": 3}
