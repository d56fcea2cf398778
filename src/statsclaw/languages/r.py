"""R: the worker loads the package and looks at it itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from statsclaw.languages.language import Language, Native, Places, Values, Worker

_NUMBER = re.compile(r"[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?L?")
_WORDS = {"TRUE": "TRUE", "True": "TRUE", "T": "TRUE", "FALSE": "FALSE", "False": "FALSE", "F": "FALSE"}
_WORDS |= {word: word for word in ("NULL", "NA", "Inf")}

#: Generics that every package may have methods for, whether its interface says so or not.
GENERICS = frozenset({
    "AIC", "BIC", "anova", "as.character", "as.data.frame", "as.matrix", "as.vector", "coef", "coefficients", "confint",
    "deviance", "df.residual", "dim", "family", "fitted", "fitted.values", "format", "formula", "hatvalues", "head",
    "length", "logLik", "mean", "median", "model.frame", "model.matrix", "names", "nobs", "plot", "predict", "print",
    "quantile", "range", "resid", "residuals", "rstandard", "sigma", "simulate", "summary", "tail", "terms", "toString",
    "vcov", "weights",
})  # fmt: skip

#: Functions of R itself that make what packages are given: fitted models, series. They are asked for arguments only.
MAKERS = frozenset({
    "stats::aov", "stats::glm", "stats::lm", "stats::loess", "stats::model.frame", "stats::model.matrix", "stats::nls",
    "stats::ts", "survival::Surv", "survival::coxph", "survival::survreg",
})  # fmt: skip


class R(Language):
    id = "r"
    values = Values(single=False, whole=False, by_any_class=True, generics=GENERICS, makers=MAKERS, shows_calls=True)
    native = Native("native_r.R", "tests/testthat/test-validation.R", "tests/testthat/validation-questions.json")
    traces = True

    def worker(self, at: Places) -> Worker:
        return Worker(("Rscript", "--vanilla", f"{at.scripts}/worker.R"))

    def literal(self, text: str) -> tuple[Any, ...]:
        """Without NULL: a function may ask whether an argument was given, and then NULL was."""
        kind, value = r_literal(text) or ("", None)
        if kind == "number":
            return (int(text[:-1]),) if text[:-1].isdecimal() and text[-1] == "L" else (value,)
        if kind == "word":
            return (value == "TRUE",) if value in ("TRUE", "FALSE") else ()
        return (value,) if kind == "text" else ()

    def imported_names(self, sources: Collection[str], names: Collection[str]) -> Collection[str]:
        return names


def r_literal(text: str) -> tuple[str, object] | None:
    """Value and kind of a literal."""
    text = text.strip()
    if text in _WORDS:
        return ("word", _WORDS[text])
    if _NUMBER.fullmatch(text):
        return ("number", float(text.rstrip("L")))
    if len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0] and text[0] not in text[1:-1]:
        return ("text", text[1:-1])
    return None


LANGUAGE = R()
