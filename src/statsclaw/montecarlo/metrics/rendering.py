"""A summary as a table: plain text for the terminal, Markdown, LaTeX (booktabs) or CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statsclaw.montecarlo.metrics.summary import Summary, SummaryRow

#: The columns of a table unless others are asked for.
USUAL = ("bias", "empse", "modse", "rmse", "coverage", "failure_rate", "time")
FORMATS = ("text", "markdown", "latex", "csv")
TITLES: Mapping[str, str] = {
    "bias": "bias",
    "relative_bias": "rel. bias",
    "standardised_bias": "bias/EmpSE",
    "median_bias": "median bias",
    "empse": "EmpSE",
    "robust_empse": "EmpSE (IQR)",
    "quantile_range": "95 % range",
    "modse": "ModSE",
    "mse": "MSE",
    "rmse": "RMSE",
    "relative_error_modse": "ModSE error %",
    "se_ratio": "SE ratio",
    "rms_se_ratio": "RMS SE ratio",
    "coverage": "coverage",
    "be_coverage": "be. coverage",
    "rejection": "rejection",
    "width": "width",
    "failure_rate": "failed",
    "convergence_rate": "converged",
    "time": "time",
    "median_time": "median time",
    "relative_precision": "precision gain %",
    "agreement": "agreement",
    "difference": "difference",
    "speed_ratio": "times faster",
}
_CSV = (
    "cell", "cell_name", "method", "parameter", "field", "metric", "value", "mcse", "robust_mcse", "n",
    "replications", "failures", "bounds_low", "bounds_high", "reference", "note", "versions",
)  # fmt: skip


def render(summary: Summary, format: str, *, metrics: Sequence[str] | None, bounds: bool) -> str:
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}: one of {', '.join(FORMATS)}")
    if format == "csv":
        return _csv(summary)
    header, body = table_of(summary, metrics or USUAL, bounds=bounds)
    if format == "markdown":
        return _markdown(header, body, summary.warnings)
    return _latex(header, body, summary.warnings) if format == "latex" else as_text(header, body, summary.warnings)


def table_of(summary: Summary, metrics: Sequence[str], *, bounds: bool) -> tuple[list[str], list[list[str]]]:
    """One line per cell, method and parameter, one column per metric: value (error), and bounds over the failures.

    The error is the larger of the two, as in verdicts.
    """
    places: dict[tuple[int, str, str | None], dict[str, SummaryRow]] = {}
    for row in summary.rows:
        if row.parameter is not None:
            places.setdefault((row.cell, row.method, row.parameter), {})[row.metric] = row
    for row in summary.rows:
        if row.parameter is None:
            own = [key for key in places if key[:2] == (row.cell, row.method)]
            for key in own or [(row.cell, row.method, None)]:
                places.setdefault(key, {})[_column(row)] = row
    fields = dict.fromkeys(_column(row) for row in summary.rows if row.field is not None)
    asked = [name for metric in metrics for name in (fields if metric == "mean" else [metric])]
    shown = [name for name in asked if any(name in found for found in places.values())]
    several = len({key[0] for key in places}) > 1
    parameters = len({key[2] for key in places}) > 1
    header = (["cell"] if several else []) + ["method"] + (["parameter"] if parameters else [])
    body = []
    for (_, method, parameter), found in places.items():
        name = next(iter(found.values())).cell_name
        line = ([name] if several else []) + [method] + ([parameter or ""] if parameters else [])
        body.append(line + [_entry(found.get(metric), bounds=bounds) for metric in shown])
    return header + [TITLES.get(name, name) for name in shown], body


def _column(row: SummaryRow) -> str:
    return row.metric if row.field is None else f"mean {row.field}"


def _entry(row: SummaryRow | None, *, bounds: bool) -> str:
    if row is None or math.isnan(row.value):
        return "–"
    if row.metric == "failure_rate":
        return f"{row.failures:,}/{row.replications:,}"
    if row.metric in ("time", "median_time"):
        return seconds(row.value)
    error = f" ({number(row.error, row.error)})" if row.error is not None else ""
    text = f"{number(row.value, row.error)}{error}"
    if bounds and row.failures and math.isfinite(row.low) and math.isfinite(row.high):
        text += f" [{number(row.low, row.error)}, {number(row.high, row.error)}]"
    return text


def number(value: float, error: float | None) -> str:
    """To two digits of its error."""
    if value == 0 and not error:
        return "0"
    size = error if error else abs(value) / 100
    if not math.isfinite(size) or size <= 0:
        return f"{value:.4g}"
    digits = 1 - math.floor(math.log10(size))
    text = f"{value:.{min(max(digits, 0), 12)}f}" if digits <= 8 and abs(value) < 1e7 else f"{value:.3g}"
    return text.lstrip("-") if not text.strip("-0.") else text


def seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def as_text(header: Sequence[str], body: Sequence[Sequence[str]], warnings: Sequence[str]) -> str:
    widths = [max(len(line[at]) for line in (header, *body)) for at in range(len(header))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
             for line in (header, *body)]  # fmt: skip
    return "\n".join([*lines, *([""] if warnings else []), *warnings]) + "\n"


def _markdown(header: Sequence[str], body: Sequence[Sequence[str]], warnings: Sequence[str]) -> str:
    rows = [header, ["---"] * len(header), *body]
    lines = ["| " + " | ".join(word.replace("|", "\\|") for word in line) + " |" for line in rows]
    return "\n".join([*lines, *(f"\n{text}" for text in warnings)]) + "\n"


def _latex(header: Sequence[str], body: Sequence[Sequence[str]], warnings: Sequence[str]) -> str:
    def line(words: Sequence[str]) -> str:
        return " & ".join(latex(word) for word in words) + r" \\"

    lines = [
        rf"\begin{{tabular}}{{{'l' * len(header)}}}",
        r"\toprule",
        line(header),
        r"\midrule",
        *(line(words) for words in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    notes = [rf"\par\noindent {latex(text)}" for text in warnings]
    return "\n".join([*lines, *notes]) + "\n"


def latex(text: str) -> str:
    """With the characters that LaTeX reads as commands written out, and minus signs as such."""
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return _minus(escaped)


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "µ": r"$\mu$", "–": "--", "±": r"$\pm$",
}  # fmt: skip


def _minus(text: str) -> str:
    words = text.split(" ")
    return " ".join(
        word.replace("-", "$-$", 1) if word.lstrip("([").startswith("-") and any(c.isdigit() for c in word) else word
        for word in words
    )


def _csv(summary: Summary) -> str:
    """Every metric of every cell, one per line, at full precision; what is unknown or unbounded is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for row in summary.rows:
        values = [getattr(row, name.removeprefix("bounds_")) for name in _CSV]
        writer.writerow(["" if value is None or _unknown(value) else value for value in values])
    return out.getvalue()


def _unknown(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
