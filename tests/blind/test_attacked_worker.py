"""A builder who has read the workers: they read of a package what its users see, and forged values harm nobody."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.specs.interface import Interface
from statsclaw.verify.blind.answering import read_answer
from statsclaw.verify.blind.comparing import same_answer
from statsclaw.verify.blind.expressions import Answered, Answers
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call
from statsclaw.verify.blind.respelling import respelled
from statsclaw.verify.blind.talking import Silent
from tests.blind.made import compared, criterion, fit, questionnaire
from tests.blind.r_side import Conversation, installed, needs_r, r_worker
from tests.blind.small_bench import PACKAGE, small
from tests.blind.test_attacks import FORGES, RIGHT, package, questions

Y, X = np.zeros(5), np.ones((5, 2))

# --- values that would harm who reads them ---------------------------------------------------------------------------


def test_a_masked_answer_of_two_long_sides_is_no_answer():
    value = Extra("masked", [np.zeros((10**6, 1)), np.zeros((1, 10**6), bool)])
    with pytest.raises(Silent):
        read_answer({"id": 0, "value": value}, 0)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        (lambda ask, f: ask.less("C1", f.coef, f.draws), fit(coef=np.zeros(3), draws=np.zeros(2))),
        (lambda ask, f: ask.less("C1", f.coef, f.draws), fit(coef=np.zeros((10**6, 1)), draws=np.zeros((1, 10**6)))),
        (lambda ask, f: ask.between("C1", f.coef, f.draws, 1), fit(coef=np.zeros(3), draws=np.zeros(2))),
    ],
    ids=["of other lengths", "of two long sides", "bounds of another length"],
)
def test_parts_that_do_not_fit_together_are_not_compared(claim: Any, value: Any):
    asked = questionnaire(lambda ask: claim(ask, ask.call("fit", Y, X)))
    (found,) = compared(asked, criterion("holds"), Answers({0: Answered(0, value)}))
    assert not found.passed and found.reason


def test_a_whole_number_of_any_size_has_a_form():
    huge = Extra("integer", hex(2**80))
    (found,) = compared(
        questionnaire(lambda ask: ask.returns("C1", ask.call("fit", Y, X))),
        criterion("holds"),
        answered(fit(steps=huge)),
    )
    assert found.passed


def answered(value: Any) -> Answers:
    return Answers({0: Answered(0, value)})


# --- the form of answers ---------------------------------------------------------------------------------------------

FORMS = {
    "a complex number": "complex(fsum(x) / len(x), 1e-13)",
    "a number in a list": "[fsum(x) / len(x)]",
    "a number in a set in two lists": "[[{fsum(x) / len(x)}]]",
    "an array of one": "__import__('numpy').array([fsum(x) / len(x)])",
}


@pytest.mark.parametrize("returned", FORMS.values(), ids=FORMS.keys())
def test_a_claim_that_is_met_does_not_excuse_another_form_than_it_expects(returned: str, tmp_path: Path):
    other = package("    m = mean(x)\n", "    m = fsum(x) / len(x)\n").replace(
        "    return fsum(x) / len(x)", f"    return {returned}"
    )
    assert "answers::mean type and shape" in small(tmp_path, package=other).failed


def test_a_form_that_the_author_expects_as_well_is_excused(tmp_path: Path):
    other = package("    m = mean(x)\n", "    m = fsum(x) / len(x)\n").replace(
        "    return fsum(x) / len(x)", "    return complex(fsum(x) / len(x), 0)"
    )
    asks = questions('ask.call("mean", x), sum(x) / len(x))', 'ask.call("mean", x), complex(sum(x) / len(x)))')
    assert small(tmp_path, package=other, questions=asks).failed == {}


def test_a_complex_field_is_the_fault_of_the_package(tmp_path: Path):
    attacked = small(tmp_path, package=package(RIGHT, "    se = complex(se, 0)\n" + RIGHT.replace(
        "m - z * se, m + z * se", "m - z * se.real, m + z * se.real")))  # fmt: skip
    assert "answers::interval.se type and shape" in attacked.failed


# --- no numbers that agree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_two_answers_do_not_agree_by_being_no_numbers(value: str, tmp_path: Path):
    none = package("    z = NormalDist()", f"    if len(x) == 30:\n        se = float('{value}')\n    z = NormalDist()")
    attacked = small(tmp_path, package=none)
    assert any("[C3]" in name for name in attacked.failed)
    rows = [row for row in attacked.evidence[-1].observations if row.criterion == "C3"]
    assert rows and not all(row.held for row in rows), "the record says so too"


def test_two_answers_that_the_interface_lets_be_missing_agree(tmp_path: Path):
    none = package(
        "    z = NormalDist()", "    if abs(m) < 1e-9 or m > 500:\n        se = float('nan')\n    z = NormalDist()"
    )
    asks = questions('ask.call("interval", x).se)', 'ask.call("interval", [v + 2000 for v in x]).se)')
    says_so = (("{name: se, type: number}", "{name: se, type: number, missing: true}"),)
    assert not [name for name in small(tmp_path, changes=says_so, package=none, questions=asks).failed if "C3" in name]


# --- what is asked again ---------------------------------------------------------------------------------------------


def test_which_arguments_a_call_changes_must_repeat_too():
    once = Answered(0, value=1.0)
    assert not same_answer(once, replace(once, changed=("0",)))
    assert same_answer(once, replace(once, printed="compiled\n")), "a library may say something once a process"


@pytest.mark.parametrize(
    ("claim", "again"),
    [("silent", {"printed": "debug"}), ("untouched", {"changed": ("0",)})],
    ids=["silent", "untouched"],
)
def test_a_call_that_is_asked_again_is_silent_and_changes_nothing_both_times(claim: str, again: dict[str, Any]):
    asked = questionnaire(lambda ask: getattr(ask, claim)("C1", ask.call("fit", Y, X)))
    once = Answered(0, value=fit())
    assert all(row.passed for row in compared(asked, criterion("holds"), Answers({0: once}, {0: once})))
    other = Answers({0: once}, {0: replace(once, **again)})
    assert not any(row.passed for row in compared(asked, criterion("holds"), other))


def test_long_times_that_are_forged_do_not_save_a_call_from_being_asked_again(tmp_path: Path):
    attacked = small(tmp_path, added={PACKAGE: FORGES.replace("FORGED", "reply['seconds'] = 1e9")})
    answers = attacked.result.heard.answers
    assert len(answers.again) == 7
    assert all(row.seconds < 600 for row in answers.given.values())


NUMBERED = """    import sys

    frame = sys._getframe()
    while frame and "request" not in frame.f_locals:
        frame = frame.f_back
    m = frame.f_locals["request"]["id"]
    return Interval(float(m), 1.0, 0.0, 2.0)
"""


def test_the_number_of_a_call_is_another_one_in_every_worker(tmp_path: Path):
    attacked = small(tmp_path, package=package(RIGHT, NUMBERED))
    answers = attacked.result.heard.answers
    seen = [side[1].value.value["fields"]["mean"] for side in (answers.given, answers.again)]
    assert seen[0] != seen[1]


SPELT = ('found = ask.call("interval", x)', 'found = ask.call("interval", x, 0.95)')


@pytest.mark.parametrize(
    "other",
    [
        package(
            "    m = mean(x)\n", "    if level is interval.__defaults__[0]:\n        level = 0.9\n    m = mean(x)\n"
        ),
        package(RIGHT, RIGHT + "\n\n\ninterval.__defaults__ = (0.9,)\n"),
    ],
    ids=["told by its identity", "set after the definition"],
)
def test_a_default_is_the_same_as_its_value_spelt_out(other: str, tmp_path: Path):
    attacked = small(tmp_path, package=other, questions=questions(*SPELT))
    assert "answers::interval depends on earlier calls or on whether a default is given" in attacked.failed


def declared(language: str, *arguments: dict[str, Any], returns: str = "number") -> Forms:
    row = {"name": "f", "arguments": list(arguments), "returns": {"type": returns}}
    return Forms(Interface.model_validate({"package": "p", "functions": [row]}), language)


A, B, C = {"name": "a"}, {"name": "b", "default": "1L"}, {"name": "c", "default": "'x'"}


@pytest.mark.parametrize(
    ("given", "named", "then"),
    [
        ((5.0,), {}, ((5.0,), {"b": 1, "c": "x"})),
        ((5.0, 1, "x"), {}, ((5.0,), {})),
        ((5.0, 2, "x"), {}, ((5.0, 2), {})),
        ((5.0, 1, "y"), {}, ((5.0, 1, "y"), {})),
        ((5.0,), {"b": 1, "c": "y"}, ((5.0,), {"c": "y"})),
        ((5.0, "y"), {"b": 1}, ((5.0, "y"), {"b": 1})),
        ((5.0, 1.0), {}, ((5.0, 1.0), {"c": "x"})),
        ((5.0,), {"d": 1}, ((5.0,), {"d": 1})),
        ((1, 2, 3, 4), {}, ((1, 2, 3, 4), {})),
    ],
)
def test_a_call_in_other_words_gives_every_argument_what_it_had(given: Any, named: Any, then: Any):
    (found,) = respelled([Call(0, "S1", "case", "call", "f", given, named)], declared("r", A, B, C))
    assert (found.arguments, found.named) == then


@pytest.mark.parametrize(
    ("language", "default"), [("r", "NULL"), ("r", "c(1, 2)"), ("python", "auto"), ("python", "[1]"), ("r", "NA")]
)
def test_a_default_that_cannot_be_read_or_asked_for_is_left_alone(language: str, default: str):
    call = Call(0, "S1", "case", "call", "f", (5.0,), {})
    assert respelled([call], declared(language, A, {"name": "b", "default": default})) == (call,)


def test_in_r_a_result_that_may_show_its_call_is_asked_for_in_the_same_words():
    call = Call(0, "S1", "case", "call", "f", (5.0,), {})
    assert respelled([call], declared("r", A, B, returns="text")) == (call,)
    shown = Call(1, "S1", "case", "text", "", (Extra("answer", {"call": 0, "path": []}),), {})
    assert respelled([call, shown], declared("r", A, B)) == (call, shown)


# --- one message for all ---------------------------------------------------------------------------------------------


def test_one_message_for_several_conditions_is_told_and_stops_nobody(tmp_path: Path):
    every = package("there are no numbers", "no numbers, not two numbers, or a wrong level")
    every = every.replace("an interval needs at least two numbers", "no numbers, not two numbers, or a wrong level")
    made = small(tmp_path, package=every)
    told = [(row.severity, row.message) for row in made.findings()]
    assert told == [("warning", "interval and mean say the same of different conditions, word for word")]
    assert made.failed == {}


def test_a_message_may_hold_words_of_another(tmp_path: Path):
    longer = package(
        "an interval needs at least two numbers", "an interval of this level needs at least two numbers, not no numbers"
    )
    assert small(tmp_path, package=longer).failed == {}


# --- what users see --------------------------------------------------------------------------------------------------

QUIET = package("@dataclass\n", "import warnings\n\nwarnings.filterwarnings('ignore', message='few')\n\n\n@dataclass\n")
WARNS = "    warnings.warn('few numbers')\n    m = mean(x)\n"


def test_a_warning_that_the_package_silences_for_everybody_is_none(tmp_path: Path):
    attacked = small(tmp_path, package=QUIET.replace("    m = mean(x)\n", WARNS))
    code = "import tinymean; tinymean.interval([1.0, 2.0])"
    made = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "site", capture_output=True, check=True)
    assert made.stderr == b""
    assert not attacked.result.heard.answers.given[1].warnings


@pytest.mark.parametrize("action", ["always", "default", "once"])
def test_a_warning_that_users_see_is_seen_at_every_call(action: str, tmp_path: Path):
    loud = QUIET.replace("filterwarnings('ignore', message='few')", f"simplefilter('{action}')")
    answers = small(tmp_path, package=loud.replace("    m = mean(x)\n", WARNS)).result.heard.answers
    assert [len(answers.given[number].warnings) for number in (1, 2, 3)] == [1, 1, 1]


MORE = """

class Result(dict):
    \"\"\"Items that may be read as attributes.\"\"\"

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Shown(float):
    def __mul__(self, other):
        return 0.75 * float(self) * other


class Pretty(float):
    def __repr__(self):
        return f"{float(self):.3f} kg"


class Named(type):
    reads = 0

    @property
    def __name__(cls):
        Named.reads += 1
        return "Trouble" if Named.reads % 2 else "ValueError"


class Trouble(Exception, metaclass=Named):
    pass


def both(se, lies):
    found = Result(se=se, values=[1.0])
    if lies:
        found.__dict__["se"] = 0.75 * se
    return found


def plain_items():
    return {"se": 1.0, "values": [1.0]}


def shown():
    return Shown(2.0)


def pretty():
    return Pretty(2.0)


def trouble():
    raise Trouble("two numbers")


def se_of(se):
    return se


def spoil(fit):
    fit.se = 0.0
    return 1.0


def look(fit):
    return fit.se


def described(x, level=0.9):
    return level


def anything(*args, **kwargs):
    return 1.0


import functools
import inspect

described.__signature__ = anything.__signature__ = inspect.Signature(
    [inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD),
     inspect.Parameter("level", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=0.95)]
)


@functools.wraps(interval)
def wrapped(*args, **kwargs):
    return interval(*args, **kwargs)


__all__ = ["mean", "interval", "predict"]
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Any]:
    made = small(tmp_path, added={PACKAGE: MORE})
    _ = made.validation.author
    with made.validation.start() as worker:

        def call(number: int, function: str, *arguments: Any, **further: Any) -> Any:
            row = {"do": "call", "id": number, "function": function, "arguments": list(arguments), "named": {}}
            return worker.ask(row | further, 60.0)

        yield call


def test_a_field_is_what_its_attribute_says_and_its_item_says_the_same(told: Any):
    honest = told(0, "both", 2.0, False, fields=["se", "values", "none"])["value"].value
    assert honest["fields"] == {"se": 2.0, "values": [1.0]} and honest["missing"] == ["none"]
    assert told(1, "plain_items", fields=["se", "values"])["value"].value["fields"] == {"se": 1.0, "values": [1.0]}
    assert "one thing as an attribute and another" in told(2, "both", 2.0, True, fields=["se"])["error"]["message"]
    part = Extra("answer", {"call": 0, "path": ["se"]})
    assert told(3, "se_of", part)["value"] == 2.0


def test_a_number_with_an_arithmetic_of_its_own_is_none(told: Any):
    assert told(0, "shown")["value"].kind == "opaque"
    assert told(1, "pretty")["value"] == 2.0


def test_a_class_is_called_by_one_name(told: Any):
    assert [told(number, "trouble")["error"]["classes"][0] for number in (0, 1)] == ["Trouble", "Trouble"]


def test_a_call_that_changes_an_earlier_answer_has_changed_its_argument(told: Any):
    told(0, "interval", [1.0, 2.0, 4.0], fields=["se"])
    whole = Extra("answer", {"call": 0, "path": []})
    assert told(1, "look", whole)["changed"] == []
    assert told(2, "spoil", whole)["changed"] == ["0"]


def test_a_signature_has_the_defaults_that_are_used(told: Any):
    assert told(0, "described", [1.0])["value"] == 0.9
    assert told(1, "described", what="signature")["value"][1]["default"] == "0.9"
    for name in ("anything", "wrapped", "interval"):
        assert told(2, name, what="signature")["value"][1]["default"] == "0.95"


def test_what_is_exported_is_there(told: Any):
    assert told(0, "", what="exports")["value"] == ["interval", "mean"]


# --- R ---------------------------------------------------------------------------------------------------------------

NAMESPACE = """export(interval, decoded, hidden, fit4, gently, warned, warned_truly, aborted, recursive, counter, reset)
export(shows)
S3method("$", lying)
S3method("$", decoding)
S3method("[[", decoding)
S3method("$", hiding)
exportMethods("$")
importFrom(methods, setClass, setMethod, new, slot)
"""
CODE = """
interval <- function(x) structure(list(mean = mean(x), se = 0.5), class = "lying")
`$.lying` <- function(x, name) { found <- unclass(x)[[name]]; if (name == "se") found * 0.75 else found }
decoded <- function() structure(list(se = 0.5), class = "decoding")
`$.decoding` <- function(x, name) { if (!name %in% names(x)) NULL else -unclass(x)[[name]] }
`[[.decoding` <- function(x, name) -unclass(x)[[name]]
hidden <- function() structure(list(), class = "hiding")
`$.hiding` <- function(x, name) if (name == "se") 2 else stop("no such field")
setClass("fit4", representation(se = "numeric", mean = "numeric"))
setMethod("$", "fit4", function(x, name) slot(x, name) * if (name == "se") 0.75 else 1)
fit4 <- function() new("fit4", se = 0.5, mean = 1)
gently <- function(x) { if (length(x) < 2) signalCondition(simpleError("two numbers")); NA_real_ }
warned <- function(x) {
  signalCondition(structure(class = c("rank_warning", "warning", "condition"), list(message = "rank", call = NULL)))
  1
}
warned_truly <- function(x) { warning("rank"); as.integer("a"); 1 }
aborted <- function() {  # as rlang does it: first for whoever waits, then for the person
  signalCondition(structure(class = c("tiny_abort", "error", "condition"), list(message = "no way", call = NULL)))
  stop(structure(class = c("error", "condition"), list(message = "", call = NULL)))
}
recursive <- function(n) recursive(n + 1)
counter <- function() { e <- new.env(); e$size <- 3; class(e) <- "counter"; e }
reset <- function(counter) { counter$size <- 0; 1 }
shows <- function() { try(stop("inner")); 1 }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("r")
    (folder / "tiny" / "R").mkdir(parents=True)
    about = "Package: tiny\nVersion: 0.1\nTitle: T\nDescription: D.\nLicense: MIT\nImports: methods\n"
    (folder / "tiny" / "DESCRIPTION").write_text(about)
    (folder / "tiny" / "NAMESPACE").write_text(NAMESPACE)
    (folder / "tiny" / "R" / "tiny.R").write_text(CODE)
    installed(folder / "site", folder / "tiny")
    return folder / "site"


@pytest.fixture
def r(site: Path, tmp_path: Path) -> Iterator[Conversation]:
    with r_worker(tmp_path, site, "tiny") as found:
        yield found


def at_home(site: Path, code: str) -> str:
    """What a user sees."""
    made = subprocess.run(
        ["Rscript", "--vanilla", "-e", f"library(tiny, lib.loc = '{site}'); {code}"], capture_output=True
    )
    return (made.stdout + made.stderr).decode()


@needs_r
def test_r_a_field_that_differs_by_the_way_it_is_read_is_none(r: Conversation):
    assert "by `$` and another" in r.call("interval", [1.0, 2.0], fields=["se"])["error"]["message"]
    assert "by `$` and another" in r.call("fit4", fields=["se"])["error"]["message"]
    assert r.call("fit4", fields=["mean"])["value"].value["fields"] == {"mean": 1.0}


@needs_r
def test_r_a_field_is_what_a_user_reads(r: Conversation):
    assert r.call("hidden", fields=["se", "other"])["value"].value["fields"] == {"se": 2.0}
    assert r.call("decoded", fields=["se"])["value"].value["fields"] == {"se": -0.5}


@needs_r
def test_r_an_error_that_only_a_handler_sees_is_none(r: Conversation, site: Path):
    assert "[1] NA" in at_home(site, "print(gently(1))")
    assert "error" not in r.call("gently", [1.0])


@needs_r
def test_r_an_error_that_ends_the_call_is_told_as_whoever_catches_it_sees_it(r: Conversation):
    assert r.call("aborted")["error"] == {"classes": ["tiny_abort", "error", "condition"], "message": "no way"}
    assert "message" in r.call("recursive", 1.0)["error"]
    assert "inner" in r.call("shows")["printed"]
    assert r.call("gently", [1.0, 2.0])["printed"] == ""


@needs_r
def test_r_a_warning_that_only_a_handler_sees_is_none(r: Conversation, site: Path):
    assert "rank" not in at_home(site, "print(warned(1)); print(warnings())")
    assert r.call("warned", 1.0)["warnings"] == []
    assert len(r.call("warned_truly", 1.0)["warnings"]) == 2


@needs_r
def test_r_a_call_that_changes_an_earlier_answer_has_changed_its_argument(r: Conversation):
    r.call("counter", fields=["size"])
    whole = Extra("answer", {"call": 0, "path": []})
    assert r.call("reset", whole)["changed"] == ["0"]
    assert r.call("reset", whole)["changed"] == []
