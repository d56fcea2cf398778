"""Two looks at a study through the real package: does it report failures, and does it record what was returned?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.judges import with_door
from statsclaw.engine.run import Run
from statsclaw.engine.verifying import bench_for
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Finding
from statsclaw.runlog.events.finding import Severity
from statsclaw.specs.sim_spec import Study
from statsclaw.verify.runner import Bench, go_on
from statsclaw.verify.study_report import Records, RecordsRefused, read_records, unpacked

_REPLICATIONS = 4
_SIZES = ("n", "size", "nobs", "samples", "observations", "t")


def study_looks(run: Run) -> Iterator[Finding]:
    """On what is laid out and built already. Nothing without a door or a study."""
    contract = contract_of(run)
    bench = with_door(run, bench_for(run, contract), contract)
    if contract.study is None or Role.SIMULATOR not in run.plan.roles or not bench.package:
        return
    bench = replace(bench, replications=(0, _REPLICATIONS))
    yield from _hidden_failures(run, bench, contract.study)
    yield from _own_numbers(run, bench, contract.study)


def _hidden_failures(run: Run, bench: Bench, study: Study) -> Iterator[Finding]:
    records = _recorded(run, bench, study, {"failing": True})
    if isinstance(records, Records) and not any(table.failed.any() for table in records.tables.values()):
        text = "every third call of the package was made to fail, and the study reports no failed replication"
        yield _finding("error", text, "failures-hidden")


def _own_numbers(run: Run, bench: Bench, study: Study) -> Iterator[Finding]:
    """What a study computes by itself is not shown to be what the package returns, and may be right all the same."""
    records = _recorded(run, bench, study, {"noting": True})
    noted = bench.place("socket") / "noted.jsonl"
    if not isinstance(records, Records) or not noted.is_file():
        return
    rows = [json.loads(line) for line in noted.read_text(encoding="utf-8").splitlines()]
    returned = {number for row in rows for number in row["numbers"]}
    for (_, method), table in records.tables.items():
        for column in sorted(table.columns):
            values = table.usable(column).tolist()
            if column.endswith((".estimate", ".se")) and values and not returned & set(values):
                text = f"no value of {column} ({method}) is a number that the package returned: the study computes it"
                yield _finding("warning", text, f"computed-by-the-study:{method}:{column}")
    sizes = {size for row in rows for size in row["sizes"]}
    for axis, levels in study.grid.items():
        missing = [level for level in levels if isinstance(level, int) and level not in sizes]
        if axis.lower() in _SIZES and missing and rows:
            text = (
                f"the package was never given anything of size {missing[0]}, though there is a cell {axis}={missing[0]}"
            )
            yield _finding("warning", text, f"another-size:{axis}")


def _recorded(run: Run, bench: Bench, study: Study, order: dict[str, bool]) -> Records | None:
    """What the study reports; None where it ends with an error, which is no way to hide one."""
    reporting = {command.name for command in run.profile.study if command.parser == "study"}
    disturbed = replace(bench, disturbance=json.dumps({"elements": []} | order))
    done = list(go_on(disturbed, "study", run.view.tree_sha256, "looked at"))
    ran = [row for row in done if row.name.partition(",")[0] in reporting and row.passed and row.records_sha256]
    if not ran:
        return None
    try:
        data = unpacked(run.store.get(str(ran[-1].records_sha256)))
        return read_records(data, study, first=0, count=_REPLICATIONS, seed=bench.seed)
    except RecordsRefused:
        return None


def _finding(severity: Severity, text: str, key: str) -> Finding:
    return Finding(check="evidence", severity=severity, message=text, route_to=Role.SIMULATOR, key=key)
