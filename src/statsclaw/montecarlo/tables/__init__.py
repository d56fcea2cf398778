"""Tables of a study as a paper prints them: LaTeX (booktabs), HTML, Markdown, CSV."""

from __future__ import annotations

from statsclaw.montecarlo.tables.content import PaperTable, paper_table
from statsclaw.montecarlo.tables.writing import FORMATS, write_table

__all__ = ["FORMATS", "PaperTable", "paper_table", "write_table"]
