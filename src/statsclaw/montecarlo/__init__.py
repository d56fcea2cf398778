"""Monte Carlo studies: fast, resumable, honest about their own error. Useful alone; knows nothing of agents or runs.

from statsclaw.montecarlo import Estimate, Study, run
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from statsclaw.montecarlo.design import Criterion, Estimate, Program, Study, StudyRefused, cell_name

if TYPE_CHECKING:
    from statsclaw.montecarlo.load import load_study
    from statsclaw.montecarlo.replaying import replay
    from statsclaw.montecarlo.running import run
    from statsclaw.montecarlo.storage.store import Store

__all__ = [
    "Criterion",
    "Estimate",
    "Program",
    "Store",
    "Study",
    "StudyRefused",
    "cell_name",
    "load_study",
    "replay",
    "run",
]

_ELSEWHERE = {"Store": "storage.store", "load_study": "load", "replay": "replaying", "run": "running"}


def __getattr__(name: str) -> Any:
    """A worker needs the design only; what reads and writes results is loaded when it is used."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
