"""What is kept of a conversation is a conversation, whatever a program left in its home."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from statsclaw.engine.conversations import keep_conversation
from statsclaw.sandbox.handin import HandIn


def kept(folder: Path) -> bool:
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home" / "talk.jsonl").write_text("{}\n")
    run: Any = SimpleNamespace(
        room=lambda _: SimpleNamespace(home=folder / "home"), folder=SimpleNamespace(desk=lambda name: folder / name)
    )
    dispatch: Any = SimpleNamespace(id="builder-1", role="builder", backend="claude")
    keep_conversation(run, dispatch, HandIn(session="s"))
    return (folder / "conversations" / "builder" / "session").is_file()


def test_a_conversation_is_kept(tmp_path: Path):
    assert kept(tmp_path)


@pytest.mark.parametrize("size", [2**30, 2**43])
def test_a_file_of_holes_is_not_written_out(tmp_path: Path, size: int):
    (tmp_path / "home").mkdir()
    with (tmp_path / "home" / "holes").open("wb") as file:
        os.truncate(file.fileno(), size)
    assert not kept(tmp_path)
    assert not (tmp_path / "conversations" / "builder").exists()


def test_links_that_lead_out_and_pipes_do_no_harm(tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "link").symlink_to("/etc")
    assert kept(tmp_path)
    assert (tmp_path / "conversations" / "builder" / "home" / "link").is_symlink()
    os.mkfifo(tmp_path / "home" / "pipe")
    assert not kept(tmp_path)
