"""Every check of a testthat suite before it judges anyone: read, never run."""

from __future__ import annotations

from collections.abc import Mapping

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import TestSpec


def check_r_suite(files: Mapping[str, str], spec: TestSpec, *, package: str = "") -> list[Finding]:
    return []
