"""What a role worked out on the side is there for its next attempt, and for nobody else."""

from __future__ import annotations

import pytest

from statsclaw.engine.attestation import dispatches_of
from tests.support.runs import AGENT, HERE, HONEST, order_for

#: Leaves something in its temporary folder, says what it finds of before, and then does the honest work.
SCRIPT = """
import os, pathlib, runpy, sys
role, given = os.environ["STATSCLAW_ROLE"], pathlib.Path(os.environ["STATSCLAW_IN"])
for place in sorted((given / "earlier").rglob("*.py")):
    print("found", place.relative_to(given), place.read_text().strip())
    try:
        place.write_text("changed")
        print("could be changed")
    except OSError:
        pass
scratch = pathlib.Path(os.environ["TMPDIR"])
(scratch / "deep").mkdir(exist_ok=True)
(scratch / "deep" / "trial.py").write_text(f"# of the {role}")
(scratch / "a_mount_point.py").touch()
(scratch / "elsewhere").symlink_to("/etc")
agent, sys.argv = sys.argv[1], ["agent", *sys.argv[2:]]
runpy.run_path(agent, run_name="__main__")
"""


@pytest.mark.slow
def test_the_next_attempt_of_a_role_finds_what_the_last_one_left_in_its_scratch(bench, target, tmp_path):
    script = tmp_path / "with_scratch.py"
    script.write_text(SCRIPT)
    python = AGENT.partition(":")[2].split()[0]
    backend = f"command:{python} {script} {HERE / 'agent.py'} {HONEST} --no-hold"
    view = bench.start(order_for(target, backend=backend, run_id="s-1"))
    store = bench.workspace.find("s-1").store

    def text_of(digest: str) -> str:
        return (store / digest[:2] / digest[2:]).read_text(encoding="utf-8")

    said = {name: text_of(d.transcript_sha256) for name, d in view.dispatches.items()}
    prompts = {name: text_of(d.started.prompt_sha256) for name, d in view.dispatches.items()}
    assert said["builder-2"].splitlines()[0] == "found earlier/deep/trial.py # of the builder"
    assert all("found" not in text for name, text in said.items() if name.endswith("-1"))
    assert not any("could be changed" in text for text in said.values())
    assert "../in/earlier/" in prompts["builder-2"]
    assert not any("earlier/" in text for name, text in prompts.items() if name.endswith("-1"))
    assert view.finished is not None and view.finished.outcome == "shipped"
    attested = dispatches_of(bench.workspace.find("s-1"))
    assert not [fault for seen in attested for fault in seen.faults]
    assert [seen.dispatch for seen in attested if "earlier/deep/trial.py" in seen.sandbox.documents] == ["builder-2"]
