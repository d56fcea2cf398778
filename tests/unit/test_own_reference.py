"""A package that calls what its tests compare it with."""

from __future__ import annotations

import pytest

from statsclaw.review.case import Case
from statsclaw.review.own_reference import calls_its_reference
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import Contract
from statsclaw.specs.test_spec import Reference
from tests.unit.test_judge import CLOSE, spec_of

GLM = Reference(
    id="R1",
    program="stats::glm",
    version="4.2.2",
    call="glm(y ~ X - 1, family = binomial(link = 'probit'), control = glm.control(epsilon = 1e-14))",
)
PNORM = Reference(id="R2", program="stats::pnorm, stats::qnorm", version="4.2.2", call="pnorm(x, log.p = TRUE)")
STATSMODELS = Reference(id="R3", program="statsmodels Probit", version="0.15", call="Probit(y, X).fit(disp=0)")
SCIPY = Reference(id="R4", program="scipy.special", version="1.17", call="log_ndtr, ndtr")


def looked(path: str, text: str, *references: Reference) -> list[Finding]:
    tests = spec_of(CLOSE).model_copy(update={"references": references})
    case = Case(roles=("builder",), contract=Contract(tests=tests), changed_sources={path: text})
    return list(calls_its_reference(case))


def found(path: str, text: str, *references: Reference) -> list[str]:
    return [row.key for row in looked(path, text, *references)]


def severities(path: str, text: str, *references: Reference) -> list[str]:
    return [row.severity for row in looked(path, text, *references)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("R/mle.R", "probit_mle <- function(X, y) coef(glm(y ~ X - 1, family = binomial('probit')))"),
        ("R/mle.R", "fit <- stats::glm (y ~ x)"),
        ("R/mle.R", "fit <- do.call('glm', list(y ~ x))"),
        ("R/mle.R", 'f <- get("glm")'),
        ("R/mle.R", "fit <- glm.fit(X, y, family = binomial('probit'))"),
        ("R/mle.R", "fit <- stats:::glm.fit(X, y)"),
        ("R/mle.R", "fitted_by <- glm\nfitted_by(y ~ x)"),
        ("R/mle.R", 'sign <- "#"; fit <- glm(y ~ x)'),
        ("R/mle.R", "fit <- `glm`(y ~ x)"),
        ("R/mle.R", "sapply(list(y ~ x), glm)"),
        ("src/mle.cpp", 'const char *s = "//"; Rcpp::Function g = stats["glm.fit"];'),
        ("src/mle.cpp", 'Rcpp::Function g("glm", Rcpp::Environment::namespace_env("stats"));'),
    ],
)
def test_in_r_and_cpp_the_call_is_found_however_it_is_written(path: str, text: str) -> None:
    assert found(path, text, GLM) == [f"calls-its-reference:R1:{path}"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("R/mle.R", "# agrees with glm(y ~ x)\nprobit_mle <- function(X, y) .Call(`_probitr_mle`, X, y)"),
        ("R/mle.R", "my_glm(x); x.glm(y)"),
        ("R/methods.R", "family.probit <- function(object) binomial(link = 'probit')"),
        ("src/mle.cpp", "// glm(x) is what users know\ndouble f(double x) { return R::pnorm(x, 0, 1, 1, 1); }"),
        ("R/utils.R", "safe_log_Phi <- function(x) pnorm(x, log.p = TRUE)"),
        ("R/mle.R", "stop('no estimate: glm(y ~ x) would return numbers that mean nothing')"),
        ("R/mle.R", "as.glm <- function(x) x$glm_like"),
        ("README.md", "like glm(y ~ x)"),
    ],
)
def test_what_is_no_use_of_the_reference(path: str, text: str) -> None:
    assert found(path, text, GLM, PNORM) == []


@pytest.mark.parametrize("text", ["if (inherits(x, 'glm')) x", "class(x) <- c('probitr', 'glm')"])
def test_the_name_of_a_class_in_r_is_a_suspicion(text: str) -> None:
    assert severities("R/mle.R", text, GLM) == ["warning"]


@pytest.mark.parametrize("text", ["do.call(what = 'glm', list(y ~ x))", "f <- get('glm')", "fit <- glm(y ~ x)"])
def test_a_function_that_r_calls_or_looks_up_is_certain(text: str) -> None:
    assert severities("R/mle.R", text, GLM) == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        "import statsmodels.api as sm",
        "def fit(y, x):\n    from statsmodels.discrete.discrete_model import Probit\n    return Probit(y, x)",
        "import importlib\nm = importlib.import_module('statsmodels.api')",
        "m = __import__('statsmodels')",
    ],
)
def test_in_python_every_kind_of_import_is_found(text: str) -> None:
    assert found("src/p/mle.py", text, STATSMODELS) == ["calls-its-reference:R3:src/p/mle.py"]


def test_elementary_modules_and_unreadable_sources_are_no_use_of_the_reference() -> None:
    assert found("src/p/a.py", "from scipy.special import log_ndtr\nimport numpy", SCIPY, STATSMODELS) == []
    assert found("src/p/a.py", "def (:\n statsmodels", STATSMODELS) == []


@pytest.mark.parametrize(
    ("before", "keys"), [("fit <- glm(y ~ x)", []), ("fit <- 1", ["calls-its-reference:R1:R/a.R"])]
)
def test_what_a_file_used_before_the_run_is_nobodys_doing(before: str, keys: list[str]) -> None:
    tests = spec_of(CLOSE).model_copy(update={"references": (GLM,)})
    case = Case(
        roles=("builder",), contract=Contract(tests=tests), changed_sources={"R/a.R": "fit <- glm(y ~ x)\nmore <- 2"},
        sources_before={"R/a.R": before},
    )  # fmt: skip
    assert [row.key for row in calls_its_reference(case)] == keys
