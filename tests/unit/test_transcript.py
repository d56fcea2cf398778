"""What an agent did can be read without knowing the format of its events."""

from __future__ import annotations

import json

import pytest

from statsclaw.ui.transcript import readable


def shown(*events: object) -> list[str]:
    return list(readable("\n".join(event if isinstance(event, str) else json.dumps(event) for event in events)))


CALL = {"type": "tool_use", "name": "Bash", "input": {"command": "ls ../in"}}
RESULT = {"type": "tool_result", "content": [{"type": "text", "text": "spec.md\nrequest.md"}]}


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        ({"type": "assistant", "message": {"content": [{"type": "text", "text": "I look.\nFirst."}, CALL]}},
         ["  I look.", "  First.", '→ Bash: {"command": "ls ../in"}']),
        ({"type": "user", "message": {"content": [RESULT]}}, ["  │ spec.md", "  │ request.md"]),
        ({"type": "item.completed", "item": {"type": "command_execution", "command": "ls", "aggregated_output": "a\n"}},
         ["→ run: ls", "  │ a"]),
        ({"type": "item.completed", "item": {"type": "agent_message", "text": "done"}}, ["  done"]),
        ({"type": "message", "role": "assistant", "content": "done"}, ["  done"]),
        ({"type": "tool_use", "tool_name": "write_file", "parameters": {"path": "x"}}, ['→ write_file: {"path": "x"}']),
        ({"type": "tool", "name": "run", "command": "make"}, ['→ run: {"command": "make"}']),
        ({"type": "failed", "reason": "HTTP 401"}, ["✗ HTTP 401"]),
        ({"type": "system", "subtype": "init", "tools": ["Bash"]}, []),
        ("just a line", ["just a line"]), ("{not json", ["{not json"]), ('{"usage": {}}', ['{"usage": {}}']),
    ],
)  # fmt: skip
def test_each_event_in_a_few_lines(event, lines):
    assert shown(event) == lines


def test_long_output_is_cut_and_says_so():
    found = shown({"type": "user", "message": {"content": [{"type": "tool_result", "content": "\n".join("abc" * 20)}]}})
    assert len(found) == 13 and found[-1] == "  │ … 48 more lines"


@pytest.mark.parametrize(
    "event", [{"type": "assistant", "message": None}, {"type": "item.completed"}, {"type": "user", "message": {}}]
)
def test_an_event_that_is_not_as_expected_is_shown_as_it_came(event):
    assert shown(event) == [json.dumps(event)]
