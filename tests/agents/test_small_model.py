"""A real language model behind the barrier: its answer arrives, its tokens are counted, its failure has a reason.

It has 135 million parameters and does not do the planner's work. What is shown is the way there and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore
from tests.agents.small_model import NotInstalled, SmallModel, installed, serving
from tests.agents.until import Enough, first_dispatch_only
from tests.support.runs import Bench, make_target, order_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def small_model() -> Iterator[SmallModel]:
    try:
        python = installed()
    except NotInstalled as error:
        pytest.skip(f"the small model cannot be installed: {error}")
    with serving(python) as model:
        yield model


def test_a_real_model_is_asked_through_the_bridge_and_what_it_says_and_spends_is_kept(
    small_model: SmallModel, bench: Bench, tmp_path: Path
):
    order = order_for(
        make_target(tmp_path), backend="api:custom/smollm2", endpoints=(small_model.url,), run_id="small-1"
    )
    with pytest.raises(Enough):
        bench.start(order, observers=(first_dispatch_only,))
    folder = bench.workspace.find("small-1")
    (dispatch,) = read_view(folder.path).dispatches.values()

    assert dispatch.status == "failed" and "comprehension.md is missing" in dispatch.reason, dispatch.reason

    assert dispatch.closed and dispatch.transcript_sha256
    network = dispatch.closed.network
    assert network.requests == 3, "once, and twice more for what is missing"
    assert network.refused == 0 and set(network.by_host) == {small_model.url.removeprefix("http://")}

    transcript = ContentStore(folder.store).get_text(dispatch.transcript_sha256)
    results = [json.loads(line) for line in transcript.splitlines() if line.startswith('{"type": "result"')]
    assert len(results) == 3 and all(any(map(str.isalpha, result["said"])) for result in results), transcript

    read, written = small_model.counted()
    assert read > 0 and written > 0
    assert (dispatch.usage.input_tokens, dispatch.usage.output_tokens) == (read, written), "as the server counts"
