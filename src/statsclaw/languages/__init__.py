"""What languages do differently: how a package is asked, and what its answers are like. Data are in `profiles/`."""

from statsclaw.languages.language import Adapter, Case, Language, Native, Places, Unfit, Values, Worker
from statsclaw.languages.registry import can_be_asked, language, spoken

__all__ = [
    "Adapter", "Case", "Language", "Native", "Places", "Unfit", "Values", "Worker",
    "can_be_asked", "language", "spoken",
]  # fmt: skip
