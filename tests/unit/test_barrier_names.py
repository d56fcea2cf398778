"""The columns of `statsclaw barrier show`: short, and no two roles alike."""

from __future__ import annotations

from types import SimpleNamespace

from statsclaw.roles.matrix import Role
from statsclaw.ui.barrier_commands import _short


def test_every_role_has_a_short_name_of_its_own() -> None:
    names = [_short(SimpleNamespace(dispatch=f"{role}-1")) for role in Role]  # type: ignore[arg-type]
    assert len(set(names)) == len(names) and all(len(name) == 3 for name in names)


def test_the_number_of_the_attempt_is_kept() -> None:
    shown = {name: _short(SimpleNamespace(dispatch=name)) for name in ("builder-2", "reader-1", "reviewer-12")}  # type: ignore[arg-type]
    assert shown == {"builder-2": "bu2", "reader-1": "rd1", "reviewer-12": "rv12"}
