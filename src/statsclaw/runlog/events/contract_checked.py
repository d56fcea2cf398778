from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.finding import Finding


class ContractChecked(Event):
    """The specifications of these hashes, linted together before anybody works from them."""

    kind: Literal["contract_checked"] = "contract_checked"
    specs: dict[str, str]
    findings: tuple[Finding, ...] = ()
