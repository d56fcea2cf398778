"""The offline router: what it answers, in which languages, and that nothing makes it fall over."""

from __future__ import annotations

import importlib.util
import math
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from statsclaw.engine.start import Order, chosen_workflow
from statsclaw.intake.intervals import SECONDS
from statsclaw.intake.lexicon import Lexicon, available, load
from statsclaw.intake.routing import Routing, Weights, route, shares
from statsclaw.runlog.events import ModelReading

WORKFLOWS = {
    "full", "fix-and-ship", "docs", "issue-patrol", "issue-fix",
    "validate", "review", "loop", "quick-fix", "monte-carlo",
}  # fmt: skip
PROMPTS = Path(__file__).resolve().parents[1] / "routing"


# --- the ten workflows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "workflow"),
    [
        ("Implement the estimator from the attached paper as an R package, with a simulation study", "full"),
        ("Port our Matlab toolbox to Julia and check by Monte Carlo that nothing changed", "full"),
        ("The tests of the survival module fail since pandas 2.2, fix them", "fix-and-ship"),
        ("Add a `weights` option to fit_ols()", "fix-and-ship"),
        ("Write a vignette about panel data", "docs"),
        ("Every exported function needs documentation", "docs"),
        ("Go through all open issues and fix the easy ones", "issue-patrol"),
        ("Fix issue #12", "issue-fix"),
        ("Run the test suite and change nothing", "validate"),
        ("Review PR 57 and tell me what worries you, no edits", "review"),
        ("Every six hours look at the open issues and handle them", "loop"),
        ("Bump the version to 1.2.1", "quick-fix"),
        ('Typo in the error message: "recieve" -> "receive"', "quick-fix"),
        ("Simulate bias and coverage of our existing estimators, 2000 replications", "monte-carlo"),
    ],
)
def test_one_of_the_ten(text: str, workflow: str) -> None:
    assert route(text).workflow == workflow


@pytest.mark.parametrize(
    ("text", "workflow"),
    [
        ("Add a Hausman test to the iv module", "fix-and-ship"),  # a statistical test is a feature
        ("Add a simulate() method for fitted objects", "fix-and-ship"),  # and so is a method called simulate
        ("Fix the issue with NA handling in predict()", "fix-and-ship"),  # an issue without a number is a problem
        ("Run the tests and fix what fails", "fix-and-ship"),
        ("Clustered standard errors should be an option of summary()", "fix-and-ship"),  # no error in standard error
        ("Before we merge Ann's branch: review the sampler code", "review"),
    ],
)
def test_words_in_their_statistical_sense(text: str, workflow: str) -> None:
    found = route(text)
    assert found.workflow == workflow
    assert found.issue is None
    assert not found.ship


# --- languages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "workflow"),
    [
        ("en", "Please run the unit tests and report, do not change anything", "validate"),
        ("zh", "请运行全部测试并告诉我结果，不要修改代码", "validate"),
        ("es", "Ejecuta las pruebas y dime el resultado, no cambies nada", "validate"),
        ("fr", "Écris un tutoriel sur les modèles de durée", "docs"),
        ("de", "Bitte den Fehler in der Varianzformel beheben und pushen", "fix-and-ship"),
        ("pt", "Faça uma simulação de Monte Carlo do viés dos estimadores que já temos", "monte-carlo"),
        ("ja", "issue 33 を修正してください", "issue-fix"),
        ("ko", "논문의 추정량을 R 패키지로 구현하고 시뮬레이션도 해 주세요", "full"),
        ("ru", "Посмотри открытые тикеты и закрой то, что сможешь", "issue-patrol"),
        ("it", "Correggi il refuso nel messaggio di errore", "quick-fix"),
        ("ar", "راجع الكود في gmm.R وأعطني رأيك دون تعديل", "review"),
        ("hi", "खुले issues देखो और जो हो सके ठीक करो", "issue-patrol"),
        ("tr", "Testleri çalıştır ve sonucu bildir, hiçbir şeyi değiştirme", "validate"),
        ("nl", "Schrijf een handleiding voor nieuwe gebruikers", "docs"),
        ("pl", "Napraw błąd w obliczaniu wariancji i otwórz PR", "fix-and-ship"),
    ],
)
def test_fifteen_languages(language: str, text: str, workflow: str) -> None:
    found = route(text)
    assert (found.language, found.workflow) == (language, workflow)


def test_traditional_chinese_and_missing_accents() -> None:
    assert route("請執行全部測試，不要修改程式碼").workflow == "validate"
    assert route("etude de simulation sur le biais de nos estimateurs existants").workflow == "monte-carlo"


def test_a_language_without_a_lexicon_still_gives_an_answer() -> None:
    found = route("Vänligen granska koden och skriv en kort rapport")
    assert found.language == "sv"
    assert found.workflow in WORKFLOWS


def test_every_lexicon_is_readable_and_knows_the_same_things() -> None:
    english = set(load("en").lexicon.cues)
    for language in set(available()) - {"any"}:
        lexicon = load(language).lexicon
        assert english - set(lexicon.cues) <= {"negation_after", "or", "numbered"}, language
        assert set(lexicon.schedule.units) >= {"minute", "hour", "day", "week"}, language
        assert lexicon.schedule.numbers, language


def test_a_lexicon_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError):
        Lexicon.model_validate({"cues": {"fixx": ["repair"]}})
    with pytest.raises(ValidationError):
        Lexicon.model_validate({"cues": {}, "colour": "red"})
    with pytest.raises(ValidationError):
        Weights.model_validate({"weights": {}})


@pytest.mark.parametrize(
    "text",
    [
        "What would it take to support left truncation? Don't implement, I want an estimate of the work.",
        "What would it take to support left truncation? Don't implement, I want an estimate.",
        "What would it take to support left truncation? Do not implement it. I'd like an estimate, in days.",
        "I want an idea of what clustering would need, without changing anything.",
        "You should not change the code. What does fit() return for NaN?",
        "There is no need to implement it, I want to know how hard it is.",
        "Review the bootstrap but do not refactor or rewrite it.",
        "Check whether hl() is right and do not fix or change anything.",
        "Review hl() for readability. The results must not change.",
        "Sketch how to support left truncation without implementing it.",
    ],
)
def test_a_verb_of_making_that_is_negated_makes_nothing(text: str) -> None:
    found = route(text)
    assert found.workflow == "review" or found.ask is not None


@pytest.mark.parametrize(
    "text",
    [
        "Add weights to hl(). Do not change or rename the other arguments.",
        "Refactor hl(); behaviour must not change",
        "I want an estimate of the tail index in summary()",
        "fit() should not return NaN",
    ],
)
def test_a_negation_beside_what_is_to_be_made_leaves_it_to_be_made(text: str) -> None:
    found = route(text)
    assert (found.workflow, found.ask) == ("fix-and-ship", None)


# --- shipping ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Fix the failing tests and push",
        "add an option for robust errors, then open a pull request",
        "correct the formula and don't forget to push",
        "fix the df, add a test, PR please",
        "behebe den Fehler und mach einen PR auf",
        "修复这个错误，然后提交 PR",
        "バグを直して PR を出してください",
        "corrige el error y súbelo",
        "düzelt ve PR aç",
        "고치고 PR 올려줘",
    ],
)
def test_ship(text: str) -> None:
    assert route(text).ship


@pytest.mark.parametrize(
    "text",
    [
        "Fix the failing tests",
        "Fix the failing tests but don't push",
        "fix it without opening a PR",
        "fix the bug, no pull request yet",
        "the data set shipped with the package is broken, fix it",
        "push the tolerance down to 1e-10 in newton.rs",
        "Review PR 57 and leave comments",
        "behebe den Fehler, aber noch nicht pushen",
        "bitte keinen PR aufmachen, nur den Fehler beheben",
        "corrige le calcul, sans pousser",
        "修复错误，但不要推送",
        "直してください。プッシュはしないで",
        "düzelt ama push etme",
        "고쳐줘, 푸시는 하지 마",
        "исправь ошибку, пушить не надо",
        "ठीक करो, push मत करना",
        "los de fout op maar open nog geen PR",
    ],
)
def test_no_ship(text: str) -> None:
    assert not route(text).ship


def test_a_refused_simulation_is_no_simulation_study() -> None:
    found = route("Add the Breusch-Pagan test, no simulation study needed")
    assert found.workflow == "fix-and-ship"


# --- issue numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("fix #123", 123),
        ("fix issue 45 please", 45),
        ("issue number 7: wrong sign", 7),
        ("GH-31 needs a fix", 31),
        ("https://github.com/o/r/issues/54 please", 54),
        ("https://gitlab.com/o/r/-/issues/9 please", 9),
        ("Ticket Nr. 61 bitte beheben", 61),
        ("corrige le ticket n° 208", 208),
        ("resolve a issue 34", 34),
        ("修复第 58 号 issue", 58),
        ("12番のissueを直して", 12),
        ("37번 이슈 고쳐줘", 37),
        ("12 numaralı issue'yu düzelt", 12),
        ("почини issue №14", 14),
        ("أصلح المشكلة رقم 12", 12),
    ],
)
def test_issue_number(text: str, issue: int) -> None:
    found = route(text)
    assert (found.issue, found.workflow) == (issue, "issue-fix")


@pytest.mark.parametrize(
    "text",
    [
        "simulate with n = 500 and 1000 replications",
        "review PR #18",
        "look at https://github.com/o/r/pull/88",
        "we have 40 open issues, triage them",
        "the issue with NA handling",
        "see Table #3 and equation #4",
        "fails on R 4.4.1 since version 2",
        "C# bindings",
    ],
)
def test_no_issue_number(text: str) -> None:
    assert route(text).issue is None


# --- schedules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("run the tests every 30 minutes", 1800),
        ("run the tests every 30min", 1800),
        ("every hour run the tests", 3600),
        ("every half hour run the tests", 1800),
        ("every 1.5 hours run the tests", 5400),
        ("every other day run the tests", 172800),
        ("hourly: run the tests", 3600),
        ("run the tests daily", 86400),
        ("run the tests each night", 86400),
        ("twice a day run the tests", 43200),
        ("run the tests 3 times per week", 201600),
        ("on Fridays run the tests", 604800),
        ("run the tests every two weeks", 1209600),
        ("run the tests: */15 * * * *", 900),
        ("run the tests: 0 3 * * *", 86400),
        ("run the tests: 0 3 * * 1", 604800),
        ("alle 4 Stunden die Tests laufen lassen", 14400),
        ("jeden Montag die Tests laufen lassen", 604800),
        ("zweimal am Tag die Tests laufen lassen", 43200),
        ("toutes les 12 heures, lance les tests", 43200),
        ("chaque nuit, lance les tests", 86400),
        ("cada 15 minutos ejecuta los tests", 900),
        ("todos los lunes ejecuta los tests", 604800),
        ("de 3 em 3 horas rode os testes", 10800),
        ("ogni mezz'ora esegui i test", 1800),
        ("elk half uur de tests draaien", 1800),
        ("co dwie godziny uruchamiaj testy", 7200),
        ("her 3 saatte bir testleri çalıştır", 10800),
        ("каждые полчаса запускай тесты", 1800),
        ("раз в 2 часа запускай тесты", 7200),
        ("كل ساعتين شغل الاختبارات", 7200),
        ("हर 2 घंटे में टेस्ट चलाओ", 7200),
        ("每隔六个小时跑一次测试", 21600),
        ("每天晚上跑一遍测试", 86400),
        ("30分ごとにテストを実行して", 1800),
        ("毎朝テストを実行して", 86400),
        ("2시간마다 테스트 돌려줘", 7200),
        ("매주 월요일마다 테스트 돌려줘", 604800),
    ],
)
def test_interval(text: str, seconds: int) -> None:
    found = route(text)
    assert (found.workflow, found.interval_s, found.inner_workflow) == ("loop", seconds, "validate")


@pytest.mark.parametrize(
    "text",
    [
        "every function needs docs",
        "each estimator should accept weights",
        "the sampler takes 4 minutes, make it faster",
        "support daily returns and weekly data in read_prices()",
        "fix the model for data observed every hour",
        "predict() fails every second time",
        "cada función debería tener un ejemplo",
        "alle Tests reparieren",
        "每个函数都要有文档",
    ],
)
def test_no_schedule(text: str) -> None:
    found = route(text)
    assert found.interval_s is None
    assert found.workflow != "loop"
    assert found.inner_workflow is None


def test_a_loop_says_what_is_repeated() -> None:
    patrol = route("every 6 hours check for new issues and open PRs for what you fix")
    assert (patrol.inner_workflow, patrol.ship) == ("issue-patrol", True)
    assert route("once a week review what was merged").inner_workflow == "review"
    assert route("rerun the coverage simulation daily with a new seed").inner_workflow == "monte-carlo"


def test_a_loop_without_an_interval_asks() -> None:
    found = route("keep an eye on the issue tracker")
    assert (found.workflow, found.interval_s, found.ask) == ("loop", None, "close")


# --- asking back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\n", "?!", "🎉🎉", "asdf qwer", "1234", "\x00\x01", "...", "。"])
def test_nothing_to_go_on(text: str) -> None:
    found = route(text)
    assert found.ask == "unclear"
    assert found.confidence < 0.5


@pytest.mark.parametrize("text", ["help", "do something about the package", "check whether the SEs are right"])
def test_too_little_said(text: str) -> None:
    assert route(text).ask is not None


@pytest.mark.parametrize("text", ["quick fix for the failing test", "rename fit2 and update the callers and tests"])
def test_small_fix_or_normal_change(text: str) -> None:
    found = route(text)
    assert {found.workflow, found.runner_up} == {"quick-fix", "fix-and-ship"}
    assert found.ask == "small-fix"


@pytest.mark.parametrize("text", ["fix #12 and push", "run pytest, change nothing", "write a vignette on panel data"])
def test_a_clear_directive_is_not_asked_about(text: str) -> None:
    found = route(text)
    assert found.ask is None
    assert found.confidence > 0.8


# --- the answer as such ------------------------------------------------------------------------------------------


def test_the_answer_is_frozen_and_closed() -> None:
    found = route("fix the bug")
    with pytest.raises(ValidationError):
        found.workflow = "docs"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Routing.model_validate({**found.model_dump(), "mood": "good"})


def test_the_shares_add_up_and_are_ordered() -> None:
    assert math.isclose(sum(shares(frozenset({"fix", "bug"})).values()), 1.0)
    found = route("review the code and fix it")
    assert found.runner_up in WORKFLOWS - {found.workflow}
    assert found.confidence >= found.runner_up_confidence > 0


def test_cues_stand_in_the_text() -> None:
    text = "Bitte die Vignette ÜBERARBEITEN und jeden Montag pushen"
    found = route(text)
    assert found.cues
    assert all(cue in text for cue in found.cues)


def test_the_same_text_gives_the_same_answer() -> None:
    text = "Review the GMM code, fix whatever is wrong and send a PR"
    assert len({route(text) for _ in range(5)}) == 1


def test_a_wording_in_quotes_is_not_a_wish() -> None:
    assert not route('rename the button "push to main" to "send"').ship


# --- hostile input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "fix the tests every 3 hours " * 40_000,
        "a" * 1_000_000,
        "a." * 500_000,
        "issue no " * 100_000,
        "修复测试每天" * 150_000,
        '"' * 200_000,
        "(" * 200_000,
        "* " * 500_000,
        "\ufdfa" * 300_000,  # one character that normalises to eighteen
        "e" + "\u0301" * 500_000,
        bytes(range(256)).decode("utf-8", "surrogateescape") * 4000,
        "\ud800\udfff" * 1000,
        "\u202e\u200b fix \u0000 the bug",
        "every " * 1000 + "0 hours",
        "every 99999999999999999999 weeks run the tests",
        "# " * 1000 + "#999999999999",
    ],
    ids=range(16),
)
def test_hostile_input(text: str) -> None:
    start = time.perf_counter()
    found = route(text)
    assert time.perf_counter() - start < 2.0
    assert found.workflow in WORKFLOWS
    assert Routing.model_validate_json(found.model_dump_json()) == found


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300) | st.text(alphabet="# every 3 hours*/`\"'.fixissue12每天ごと", max_size=120))
def test_never_raises(text: str) -> None:
    found = route(text)
    assert found.workflow in WORKFLOWS
    assert 0 <= found.confidence <= 1
    assert found.interval_s is None or found.interval_s >= min(SECONDS.values())
    assert (found.workflow == "loop") == (found.inner_workflow is not None)


def test_fast_enough() -> None:
    texts = ["Review the GMM weighting code and fix whatever is wrong, then send a PR", "毎晩テストを実行して報告して"]
    for text in texts:
        route(text)
    start = time.perf_counter()
    for text in texts * 20:
        route(text)
    assert (time.perf_counter() - start) / 40 < 0.02


# --- labelled prompts --------------------------------------------------------------------------------------------


def _evaluate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("routing_evaluate", PROMPTS / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LABELLED = {"dev": 0.9, "dev2": 0.9, "dev4": 0.78, "heldout": 0.85, "heldout2": 0.75, "heldout3": 0.72}


@pytest.mark.parametrize(("name", "at_least"), LABELLED.items())
def test_labelled_prompts(name: str, at_least: float, capsys: pytest.CaptureFixture[str]) -> None:
    """`dev` was used to build the router; the accuracy that counts is the one on `heldout`."""
    path = PROMPTS / f"{name}.toml"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    module = _evaluate()
    result = module.evaluate(module.load(path))
    with capsys.disabled():
        print(f"\nrouter on {name}" + (" (not used to build the router)" if name.startswith("heldout") else ""))
        for key, value in result.items():
            print(f"{name}.{key}: {value:g}")
    assert result["workflow"] >= at_least
    # what Enter would start wrongly: 0.144 on heldout2 before orders were read
    assert result["wrong_and_not_doubted"] <= {"dev": 0.01, "dev2": 0.01, "heldout": 0.06}.get(name, 0.115)


def _sure_of(workflow: str) -> Routing:
    return route("Fix the divisor of wmean").model_copy(update={"workflow": workflow, "ask": None})


def test_words_alone_start_nothing() -> None:
    """However sure the router is: no workflow is chosen that nobody named, saw, took unseen or had a model read."""
    order = Order(directive="Fix the divisor of wmean", target=".")
    read = ModelReading(backend="claude", workflow="docs")
    assert chosen_workflow(order, _sure_of("review")) is None
    assert chosen_workflow(replace(order, accepted=True), _sure_of("review")) == "review"
    assert chosen_workflow(replace(order, by_model=read), _sure_of("review")) == "docs"
    assert chosen_workflow(replace(order, workflow="full"), _sure_of("review")) == "full"


def test_what_is_doubted_is_not_taken_unseen() -> None:
    order = Order(directive="Look at the package", target=".", accepted=True)
    assert chosen_workflow(order, route("Look at the package").model_copy(update={"ask": "unclear"})) is None


def test_a_number_behind_a_pull_request_is_its_own() -> None:
    assert route("Have a look on the pull request of our student (#212) and say what you think").issue is None
    assert route("There is a pull request already. Fix #212.").issue == 212


@pytest.mark.parametrize(
    "text",
    [
        "Fix the bug in wmean. Do not push anything.",
        "Correggi l'errore e non fare il push",
        "Behebe den Fehler, aber nicht pushen",
        "Fix issue 12, no PR please",
    ],
)
def test_who_says_not_to_push_is_heard(text: str) -> None:
    found = route(text)
    assert found.ship_refused and not found.ship


def test_a_wish_to_push_is_no_refusal() -> None:
    assert not route("Fix the bug and push it.").ship_refused
    assert not route("Fix the bug.").ship_refused


# --- what is asked to be made outranks what is read on the way ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "workflow"),
    [
        (
            "Read this note and add the network plot it describes to the package, then open a pull request",
            "fix-and-ship",
        ),
        ("please read section 3 and add two-way clustering", "fix-and-ship"),
        ("Write me a short tutorial on the bootstrap", "docs"),
        ("Explain the small-sample corrections in the manual", "docs"),
        ("Read the code of vcov_cluster and write proper help pages for it", "docs"),
        ("Put our three estimators through a Monte Carlo with 500 draws and small samples", "monte-carlo"),
        ("could you run all examples and say whether they finish", "validate"),
        ("Read the note and tell me what would have to be added to the package", "review"),
        ("can you check if the derivation in the appendix is right", "review"),
        ("Someone added two-way clustering last week. Could you go over it and judge whether it is sound?", "review"),
    ],
)
def test_an_order_to_make_outranks_an_order_to_look(text: str, workflow: str) -> None:
    found = route(text)
    assert (found.workflow, found.ask) == (workflow, None)


@pytest.mark.parametrize("text", ["Can the sampler be made faster?", "Check it and fix it"])
def test_what_may_be_meant_otherwise_is_asked(text: str) -> None:
    assert route(text).ask is not None


@pytest.mark.parametrize(
    "text",
    [
        "Our function is called every night by the pipeline and leaks memory. Find the leak and plug it.",
        "add support for weekly and daily seasonality",
    ],
)
def test_what_the_package_does_every_night_is_no_loop(text: str) -> None:
    assert route(text).workflow == "fix-and-ship"
