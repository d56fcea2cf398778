"""After a BLOCK the builder goes on with its own conversation; the tester and the reviewer start afresh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.roles import all_honest, honest_files
from tests.agents.scripted_model import Act, Say, ScriptedModel, Talk, written_by_shell
from tests.agents.until import EACH_KIND, KEYS
from tests.support.runs import make_target, order_for

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("backend", EACH_KIND)
def test_the_builder_remembers_what_it_did_before_the_block(agents: Path, bench, tmp_path: Path, backend):
    prompts: list[str] = []

    def builder(talk: Talk) -> Iterator[Act]:
        while True:
            prompts.append(talk.now.last)
            for path, text in honest_files("builder", talk.now.last, "--no-hold").items():
                yield written_by_shell(path, text)
            yield Say("Built.")

    scripts = all_honest("--no-hold") | {"# You are the builder\n": builder}
    with ScriptedModel(scripts) as model:
        order = order_for(make_target(tmp_path), backend=backend, endpoints=(f"{model.url}#{KEYS[backend]}",))
        view = bench.start(order)
    assert model.failures == []
    assert view.finished and view.finished.outcome in ("done", "shipped"), view.missing
    assert view.dispatches["builder-2"].status == "finished", "the first attempt divides by n - 1"
    assert len(prompts) == 2 and "this is attempt 1" in prompts[0] and "this is attempt 2" in prompts[1]
    later = [asked for asked in model.asked if asked.last == prompts[1]]
    assert later and all("this is attempt 1" in asked.first for asked in later), "one conversation"
    assert len(later[0].results) >= 2, "what its tools gave back before is there"
    begun: dict[str, tuple[str, ...]] = {}
    for asked in model.asked:
        begun.setdefault(asked.first, asked.results)
    assert all(results == () for first, results in begun.items() if "# You are the tester\n" in first), "afresh"
