"""The page of a study: one HTML file that says what was asked, what came out, and how to run it again."""

from __future__ import annotations

from statsclaw.montecarlo.page.page import render_study_page

__all__ = ["render_study_page"]
