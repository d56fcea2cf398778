"""By which names the package of a target may be loaded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from statsclaw.engine import tools
from statsclaw.profiles.profile import load_profile


def names(monkeypatch: pytest.MonkeyPatch, profile: str, files: dict[str, str]) -> list[str]:
    monkeypatch.setattr(tools, "paths_in", lambda target, overlay: list(files))
    monkeypatch.setattr(tools, "read_text", lambda target, overlay, store, path: files.get(path, ""))
    run: Any = SimpleNamespace(
        profile=load_profile(profile), target=None, store=None, view=SimpleNamespace(overlay={})
    )  # fmt: skip
    return tools.imported_names(run)


@pytest.mark.parametrize(
    ("profile", "files", "expected"),
    [
        ("python", {"pyproject.toml": 'name = "py-foo"', "foo/__init__.py": "", "foo/sub/__init__.py": ""}, ["foo"]),
        ("python", {"lib/foo/__init__.py": "", "tests/__init__.py": "", "docs/conf.py": ""}, ["foo"]),
        ("python", {"src/space/foo/__init__.py": ""}, ["foo"]),
        ("python", {"pyproject.toml": 'name = "py-foo"', "noxfile.py": ""}, []),
        ("python", {}, []),
        ("r", {"DESCRIPTION": "Package: data.foo\nVersion: 1.0\n", "R/a.R": ""}, ["data.foo"]),
        ("r", {}, []),
    ],
)  # fmt: skip
def test_the_name_is_that_of_the_package_not_of_its_distribution(
    monkeypatch: pytest.MonkeyPatch, profile: str, files: dict[str, str], expected: list[str]
) -> None:
    assert names(monkeypatch, profile, files) == expected
