"""Named faults of a method, and what each metric would be under them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from statsclaw.montecarlo import special
from statsclaw.montecarlo.design import Criterion, Study, StudyRefused
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.verdicts.power import Measured, Model, Proportion, model_at
from statsclaw.montecarlo.verdicts.questions import Question, metric_of

CORRECT = "correct"
#: Looked at unless a criterion names its own.
USUAL = ("SE × 0.9", "SE × 1.1", "bias of 0.1 EmpSE", "bias of 0.2 EmpSE")
_OTHER = {
    "failure_rate": ("fails in 5 %", "fails in 10 %"),
    "convergence_rate": ("fails in 5 %", "fails in 10 %"),
    "empse": ("EmpSE × 1.1", "EmpSE × 1.2"),
    "robust_empse": ("EmpSE × 1.1", "EmpSE × 1.2"),
    "quantile_range": ("EmpSE × 1.1", "EmpSE × 1.2"),
    "rate": ("rate × 0.5", "rate × 0.8"),
}
_OF_SE = ("coverage", "be_coverage", "rejection", "se_ratio", "rms_se_ratio", "relative_error_modse", "modse", "width")
_OF_BIAS = ("coverage", "rejection", "bias", "standardised_bias", "median_bias", "relative_bias", "rmse", "mse")
#: Of what a fault multiplies or shifts by.
_LARGEST = 1e6
_WRITTEN = {
    "se": re.compile(r"SE\s*[×x*]\s*([\d.]+)$"),
    "bias": re.compile(r"bias of (-?[\d.]+) EmpSE$"),
    "empse": re.compile(r"EmpSE\s*[×x*]\s*([\d.]+)$"),
    "fails": re.compile(r"fails in ([\d.]+) ?%$"),
    "rate": re.compile(r"rate\s*[×x*]\s*([\d.]+)$"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Standard errors × `se`, estimates shifted by `bias` EmpSE or spread × `empse`, a share `fails`, `rate` slower."""

    name: str
    se: float = 1.0
    bias: float = 0.0
    empse: float = 1.0
    fails: float = 0.0
    rate: float = 1.0


def read_fault(name: str) -> Fault:
    """“SE × 0.9”, “bias of 0.2 EmpSE”, “EmpSE × 1.1”, “fails in 5 %”, “rate × 0.5”."""
    for kind, pattern in _WRITTEN.items():
        if isinstance(name, str) and (match := pattern.match(name.strip())):
            size = _size(match.group(1), most=100.0 if kind == "fails" else _LARGEST)
            if size is not None:
                return Fault(name, **{kind: size / 100 if kind == "fails" else size})
    raise StudyRefused(
        f"there is no fault {name!r}: write “SE × 0.9”, “bias of 0.2 EmpSE”, “EmpSE × 1.1”, “fails in 5 %” or "
        "“rate × 0.5”"
    )


def _size(text: str, most: float) -> float | None:
    """The number, if it is one and no larger than `most`."""
    try:
        size = float(text)
    except ValueError:
        return None
    return size if abs(size) <= most else None


def faults_of(criterion: Criterion) -> list[Fault]:
    """Those the criterion names, else the usual ones that its metric could notice."""
    if criterion.faults:
        if isinstance(criterion.faults, str) or not isinstance(criterion.faults, Iterable):
            raise StudyRefused(f"{criterion.id}: faults is a list of names, such as [“SE × 0.9”]")
        return [read_fault(name) for name in criterion.faults]
    if criterion.metric in _OTHER and criterion.minus is None:
        return [read_fault(name) for name in _OTHER[criterion.metric]]
    usual = [read_fault(name) for name in USUAL]
    if criterion.metric in ("rate", "trend") or criterion.minus is not None:
        return []
    return [
        fault
        for fault in usual
        if (fault.se != 1 and criterion.metric in _OF_SE) or (fault.bias != 0 and criterion.metric in _OF_BIAS)
    ]


def model_of(study: Study, question: Question, fault: Fault, pilot: McEstimate | None) -> Model | None:
    """How the metric is distributed under the fault; None where that is not known without a pilot."""
    metric = metric_of(question.criterion)
    if question.criterion.minus is not None:
        return _as_piloted(pilot, fault)
    if question.criterion.metric == "rate":
        return _rate(study, question, fault, metric)
    if question.criterion.metric == "trend":
        return _from_pilot(pilot, Fault(fault.name), metric)
    z = float(special.ndtri((1 + study.level) / 2))
    known = {
        "failure_rate": fault.fails,
        "convergence_rate": 1 - fault.fails,
        "coverage": covers(z, fault.se, fault.bias),
        "be_coverage": covers(z, fault.se, 0.0),
        "se_ratio": fault.se,
        "rms_se_ratio": fault.se,
        "relative_error_modse": 100 * (fault.se - 1),
        "standardised_bias": fault.bias,
    }
    if metric == "rejection" and _of_null(study, question):
        return Proportion(1 - covers(z, fault.se, fault.bias))
    return model_at(metric, known[metric]) if metric in known else _from_pilot(pilot, fault, metric)


def covers(z: float, factor: float, bias: float) -> float:
    """The coverage of estimate ± z · factor · SE with a bias of this many EmpSE."""
    return float(special.ndtr(z * factor - bias) - special.ndtr(-z * factor - bias))


def _of_null(study: Study, question: Question) -> bool:
    """The band holds the nominal type I error, so the criterion is about that and not about power."""
    return question.low <= 1 - study.level <= question.high and question.high < 0.5


def _rate(study: Study, question: Question, fault: Fault, metric: str) -> Measured:
    """The root-n rate; log RMSE of normal estimates has an error of 1/√(2R) in each cell."""
    levels = np.log([float(study.cells()[number][str(question.criterion.axis)]) for number in question.cells])
    centred = levels - np.mean(levels)
    of_mse = 2.0 if metric == "mse" else 1.0
    spread = of_mse * math.sqrt(0.5 / float(np.sum(np.square(centred))))
    return Measured(-0.5 * of_mse * fault.rate, spread)


def _from_pilot(pilot: McEstimate | None, fault: Fault, metric: str) -> Model | None:
    """What the pilot shows is taken as what a correct method gives; the fault changes it."""
    if pilot is None:
        return None
    value, error = pilot.value, pilot.error or 0.0
    if pilot.successes is not None:
        return Proportion(value) if fault.name == CORRECT else None
    spread = error * math.sqrt(pilot.trials)
    if metric in ("bias", "median_bias", "relative_bias"):
        return _biased(pilot, fault, metric, spread)
    if metric in ("rmse", "mse", "empse", "modse", "width", "robust_empse", "quantile_range"):
        grown = math.hypot(1.0, fault.bias) if metric in ("rmse", "mse") else 1.0
        grown *= fault.se if metric in ("modse", "width") else fault.empse
        grown **= 2 if metric == "mse" else 1
        return Measured(value * grown, spread * grown, pilot.log_shift)
    return _as_piloted(pilot, fault)


def _as_piloted(pilot: McEstimate | None, fault: Fault) -> Model | None:
    """What a fault does to it is not known."""
    if pilot is None or fault.name != CORRECT:
        return None
    return Measured(pilot.value, (pilot.error or 0.0) * math.sqrt(pilot.trials), pilot.log_shift)


def _biased(pilot: McEstimate, fault: Fault, metric: str, spread: float) -> Measured:
    """Of a mean the spread of one replication is EmpSE, of a median √(π/2) times as much; a correct method has none."""
    empse = spread / (math.sqrt(math.pi / 2) if metric == "median_bias" else 1.0)
    return Measured(fault.bias * empse, spread)
