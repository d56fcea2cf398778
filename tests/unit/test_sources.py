"""What is found in papers, notes, notebooks and code, with its number and place; and what hostile files cannot do."""

from __future__ import annotations

import hashlib
import json
import random
import time
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from statsclaw.sources.extract import criteria_of_request, extract, read_sources
from statsclaw.sources.index import Extracted, Index
from statsclaw.sources.listing import render_index
from statsclaw.sources.symbols import symbols_of

SUPPORT = Path(__file__).parents[1] / "support"
SAMPLES = SUPPORT / "sources"


def sample(*names: str) -> dict[str, bytes]:
    return {name: (SAMPLES / name).read_bytes() for name in names}


def latex(body: str, preamble: str = "", **others: str) -> Extracted:
    text = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return extract("p.tex", text.encode(), others={name: value.encode() for name, value in others.items()})


def numbers(found: Extracted) -> list[str | None]:
    return [equation.number for equation in found.equations]


def markdown(text: str) -> Extracted:
    return extract("n.md", text.encode())


# --- the sample documents


def test_the_latex_sample_is_found_whole_with_the_numbers_latex_gives() -> None:
    index = read_sources(sample("probit.tex", "probit-mcmc.tex"))
    main = index.sources[0]
    assert numbers(main) == ["1", "2", "3", None, "4", None, "5a", "5b", "SE", "6", "7", "8", None, "R", "9"]
    assert [equation.ref for equation in main.equations if equation.number] == [
        f"probit.tex({number})" for number in numbers(main) if number
    ]
    assert main.equations[0].label == "eq:latent"
    assert main.equations[0].symbols == ("u", "x", r"\beta", "e")
    assert [row.title for row in main.algorithms] == ["Maximum likelihood", "Random walk"]
    assert main.algorithms[0].steps[1] == "while the step is longer than $10^{-9}$"
    assert main.tables[0].caption == "Design of the study"
    assert main.tables[0].rows == (("Quantity", "Value"), ("Observations", "200, 800"), ("Replications", "400"))
    assert main.not_extracted == ()


def test_an_equation_of_an_included_file_has_the_number_of_the_document_and_the_place_of_its_file() -> None:
    main = read_sources(sample("probit.tex", "probit-mcmc.tex")).sources[0]
    sixth = next(equation for equation in main.equations if equation.number == "6")
    assert (sixth.ref, sixth.source, sixth.line) == ("probit.tex(6)", "probit-mcmc.tex", 4)
    lines = (SAMPLES / "probit-mcmc.tex").read_text().split("\n")
    assert lines[3].strip().startswith(r"\bb \mid u")


def test_an_included_file_is_listed_and_not_read_twice() -> None:
    for order in (("probit.tex", "probit-mcmc.tex"), ("probit-mcmc.tex", "probit.tex")):
        index = read_sources(sample(*order))
        assert [source.name for source in index.sources] == list(order)
        refs = [equation.ref for equation in index.equations]
        assert len(refs) == len(set(refs)) == 15
        included = next(source for source in index.sources if source.name == "probit-mcmc.tex")
        assert included.sha256 == hashlib.sha256((SAMPLES / "probit-mcmc.tex").read_bytes()).hexdigest()
        assert not included.equations


@pytest.mark.parametrize("name", ["probit.tex", "probit.pdf"])
def test_the_seven_criteria_are_found_word_for_word(name: str) -> None:
    found = extract(name, (SAMPLES / name).read_bytes(), others=sample("probit-mcmc.tex"))
    assert [row.id for row in found.criteria] == [f"C{number}" for number in range(1, 8)]
    assert [row.ref for row in found.criteria] == [f"{name} C{number}" for number in range(1, 8)]
    texts = [row.text for row in found.criteria]
    assert texts[0] == "Coefficients agree with a reference within 1e-6."
    assert texts[1].startswith("Posterior means lie within 0.1 of the maximum likelihood estimate for")
    assert "500" in texts[1]
    assert texts[2:5] == [
        "The acceptance rate is between 20% and 50%.",
        "Coverage of 95% intervals is between 90% and 99%.",
        "Maximum likelihood is at least 5× faster than sampling.",
    ]


def test_the_pdf_sample_has_its_numbered_equations_pictures_and_an_honest_statement() -> None:
    found = extract("probit.pdf", (SAMPLES / "probit.pdf").read_bytes())
    assert found.kind == "pdf"
    assert numbers(found) == [str(number) for number in range(1, 11)]
    assert [equation.page for equation in found.equations] == [1] * 9 + [2]
    fifth = found.equations[4]
    assert fifth.ref == "probit.pdf(5)"
    assert fifth.text.startswith("λi = ")  # and not the sentence before it that ends in (5) at the margin
    assert [(row.title, len(row.steps)) for row in found.algorithms] == [("Maximum likelihood", 4), ("Random walk", 3)]
    assert [row.caption for row in found.tables] == ["Design of the study"]
    assert list(found.images) == ["probit-page-1.png", "probit-page-2.png"]
    with Image.open(BytesIO(found.images["probit-page-1.png"])) as picture:
        assert picture.format == "PNG"
        assert 700 < picture.width < 900
    assert any("structured mathematics" in sentence for sentence in found.not_extracted)


def test_the_notes_of_the_honest_example() -> None:
    data = (SUPPORT / "honest" / "sources" / "notes.md").read_bytes()
    found = read_sources({"notes.md": data}).sources[0]
    assert [equation.ref for equation in found.equations] == [f"notes.md({number})" for number in range(1, 5)]
    assert [row.ref for row in found.criteria] == ["notes.md A1", "notes.md A2"]
    defined = {"x", "n", r"\bar x", "s", "se", r"\ell", "z"}
    assert {symbol for equation in found.equations for symbol in equation.symbols} == defined


# --- LaTeX's numbers


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\begin{equation}a\end{equation}\begin{equation*}b\end{equation*}"
         r"\begin{equation}c\end{equation}", ["1", None, "2"]),
        (r"\begin{align}a&=b\\c&=d\nonumber\\e&=f\end{align}\[g\]", ["1", None, "2", None]),
        (r"\begin{align}a&=b\\\end{align}\begin{equation}c\end{equation}", ["1", "3"]),  # the empty row counts
        (r"\begin{gather}a\\b\end{gather}\begin{multline}c\\d\end{multline}", ["1", "2", "3"]),
        (r"\begin{eqnarray}a&=&b\\c&=&d\end{eqnarray}\begin{eqnarray*}e\end{eqnarray*}", ["1", "2", None]),
        (r"\begin{equation}\begin{aligned}a&=b\\c&=d\end{aligned}\end{equation}", ["1"]),
        (r"\begin{equation}x=\begin{pmatrix}a&b\\c&d\end{pmatrix}\end{equation}", ["1"]),
        (r"\begin{align}x&=\begin{cases}a\\b\end{cases}\\y&=\left\{z\right.\end{align}", ["1", "2"]),
        (r"\begin{alignat}{2}a&=b\\c&=d\end{alignat}", ["1", "2"]),
        (r"\begin{equation}a\tag{*}\end{equation}\begin{equation}b\end{equation}", ["*", "1"]),
        (r"\begin{equation}a\tag{$\ast$ 2'}\end{equation}", ["2'"]),
        (r"\[a\tag{7}\]$$b\eqno{(8)}$$\begin{equation}c\end{equation}", ["7", "8", "1"]),
        (r"\begin{subequations}\begin{equation}a\end{equation}\begin{align}b\\c\end{align}\end{subequations}"
         r"\begin{equation}d\end{equation}", ["1a", "1b", "1c", "2"]),
        (r"\setcounter{equation}{4}\begin{equation}a\end{equation}\addtocounter{equation}{2}"
         r"\begin{equation}b\end{equation}", ["5", "8"]),
        (r"\section{A}\begin{equation}a\end{equation}\appendix\renewcommand{\theequation}{A\arabic{equation}}"
         r"\setcounter{equation}{0}\section{B}\begin{equation}b\end{equation}", ["1", "A1"]),
        (r"Text\\[3pt] more \\[2pt] and $a$ and \$5 and \verb|\[x\]|. $$b$$", [None]),
        (r"$a$$b$ inline twice, then $$c \tag{4}$$", ["4"]),
        (r"\iffalse\begin{equation}a\end{equation}\fi\begin{lstlisting}\[x\]\end{lstlisting}"
         r"\begin{equation}b\end{equation}", ["1"]),
        ("\\begin{equation}a % \\end{equation}\n+b\\end{equation}", ["1"]),
        (r"5\% of \begin{equation}a\end{equation}", ["1"]),
    ],
)  # fmt: skip
def test_equations_are_numbered_as_latex_numbers_them(body: str, expected: list[str | None]) -> None:
    assert numbers(latex(body)) == expected


def test_numbers_within_sections_and_the_letters_of_an_appendix() -> None:
    one = r"\begin{equation}a\end{equation}"
    body = rf"\section{{One}}{one}{one}\section*{{None}}{one}\section{{Two}}{one}\appendix\section{{More}}{one}"
    assert numbers(latex(body, r"\numberwithin{equation}{section}")) == ["1.1", "1.2", "1.3", "2.1", "A.1"]
    by_subsection = rf"\section{{One}}\subsection{{A}}{one}\subsection{{B}}{one}\section{{Two}}{one}"
    assert numbers(latex(by_subsection, r"\numberwithin{equation}{subsection}")) == ["1.1.1", "1.2.1", "2.0.1"]
    report = (
        rf"\documentclass[11pt]{{report}}\begin{{document}}\chapter{{One}}{one}\section{{S}}{one}\chapter{{Two}}{one}"
    )
    assert numbers(extract("r.tex", report.encode())) == ["1.1", "1.2", "2.1"]


def test_shorthands_for_environments_and_definitions_that_only_look_like_equations() -> None:
    preamble = (
        r"\newcommand{\beq}{\begin{equation}}\newcommand{\eeq}{\end{equation}}"
        r"\newenvironment{nalign}{\begin{align}}{\end{align}}"
    )
    found = latex(r"\beq a=b \eeq \begin{nalign} c \\ d \end{nalign}", preamble)
    assert numbers(found) == ["1", "2", "3"]
    assert [equation.text for equation in found.equations] == ["a=b", "c", "d"]


def test_a_labelled_equation_without_a_number_counts_as_numbered() -> None:
    found = latex(r"\[ a = b \label{eq:score} \]").equations[0]
    assert (found.ref, found.numbered) == ("p.tex#eq:score", True)
    assert latex(r"\[ a = b \]").equations[0].ref == "p.tex@4"


def test_two_equations_never_share_a_reference() -> None:
    found = latex(r"\begin{equation}a\tag{1}\end{equation}\begin{equation}b\end{equation}")
    assert [equation.ref for equation in found.equations] == ["p.tex(1)", "p.tex(1)@4"]
    assert "more than once" in found.not_extracted[0]


def test_markdown_after_the_latex_is_read_as_markdown() -> None:
    text = (
        "\\section{A}\n\\begin{equation}a\\end{equation}\n\\section*{Supplement}\n\n# Notes\n\n$$b = c \\quad (7)$$\n\n"
    )
    found = latex(
        text + "## Acceptance criteria\n\n**C1** between 20% and 50%\n\n\\section{B}\n\\begin{equation}d\\end{equation}"
    )
    assert sorted(number or "" for number in numbers(found)) == ["1", "2", "7"]
    assert [row.text for row in found.criteria] == ["between 20% and 50%"]
    assert [equation.line for equation in found.equations] == [5, 17, 10]


def test_a_hash_in_a_listing_does_not_make_the_rest_markdown() -> None:
    found = latex("\\begin{terminal}\n# install\n\\end{terminal}\n\\begin{equation}a\\end{equation}")
    assert numbers(found) == ["1"]


@pytest.mark.parametrize(
    "items",
    [
        "\\begin{itemize}\n\\item[\\textbf{C1}] one\n\\item[(C2)] two\n\\end{itemize}",
        "\\begin{enumerate}[label=\\textbf{C\\arabic*}]\n\\item one\n\\item two\n\\end{enumerate}",
        "\\begin{itemize}\n\\item C1: one\n\\item C2. two\n\\end{itemize}",
        "\\textbf{C1} one\n\n\\textbf{C2.} two",
        "\\begin{tabular}{ll}\nC1 & one \\\\\nC2 & two \\\\\n\\end{tabular}",
    ],
)
@pytest.mark.parametrize("heading", [r"\subsection{Acceptance Criteria}", r"\paragraph{Criteria.}"])
def test_criteria_in_the_forms_people_write(heading: str, items: str) -> None:
    found = latex(f"{heading}\n{items}\n\\section{{Next}}\nC3: not one").criteria
    assert [(row.id, row.text) for row in found] == [("C1", "one"), ("C2", "two")]


# --- \input


def test_inputs_that_are_missing_or_take_each_other_in_are_said() -> None:
    found = latex(r"\input{lost} \begin{equation}a\end{equation}")
    assert numbers(found) == ["1"]
    assert "lost" in found.not_extracted[0]
    files = {
        "a.tex": rb"\input{b}\begin{equation}a\end{equation}",
        "b.tex": rb"\include{a.tex}\begin{equation}b\end{equation}",
    }
    index = read_sources(files)
    assert sorted(equation.text for equation in index.equations) == ["a", "b"]
    assert any("cycle" in sentence for source in index.sources for sentence in source.not_extracted)


def test_an_input_is_found_beside_the_document_and_nowhere_outside() -> None:
    files = {
        "repo/paper/main.tex": rb"\input{parts/one}\input{../../etc/passwd}",
        "repo/paper/parts/one.tex": rb"\[x\]",
    }
    index = read_sources(files)
    assert [equation.source for equation in index.equations] == ["repo/paper/parts/one.tex"]
    assert "etc/passwd" in index.sources[0].not_extracted[0]


def test_a_tree_of_inputs_cannot_grow_without_bound() -> None:
    files = {f"f{level}.tex": rf"\input{{f{level + 1}}}\input{{f{level + 1}}}".encode() for level in range(30)}
    files["f30.tex"] = b"\\[x\\]"
    started = time.monotonic()
    found = extract("f0.tex", files["f0.tex"], others=files)
    assert time.monotonic() - started < 10
    assert any("too many files" in sentence for sentence in found.not_extracted)


# --- Markdown


@pytest.mark.parametrize(
    ("text", "number", "label"),
    [
        (r"$$a = b \tag{3}$$", "3", None),
        (r"$$a = b \quad (3)$$", "3", None),
        (r"$$a = b, \qquad (3)$$", "3", None),
        ("$$\na = b (3)\n$$", "3", None),
        ("$$a = b$$ (3)", "3", None),
        (r"\[a = b\] (A.3)", "A.3", None),
        ("$$a = b$$ {#eq:score}", None, "eq:score"),
        ("$$a = b \\tag{2}$$ {#eq:score}", "2", "eq:score"),
        ("```math\na = b \\tag{3}\n```", "3", None),
        ("~~~ math\na = b\n~~~", None, None),
        (r"$$a = f(3)$$", None, None),
        (r"$$a = \Phi (3)$$", None, None),
        ("$$a = b$$\n\n(3) is a number", None, None),
        ("- item\n\n    $$a = b \\tag{3}$$", "3", None),
        ("> $$a = b \\tag{3}$$", "3", None),
    ],
)
def test_numbers_and_labels_of_markdown_equations(text: str, number: str | None, label: str | None) -> None:
    found = markdown(f"# Notes\n\n{text}\n").equations
    assert [(row.number, row.label) for row in found] == [(number, label)]
    assert found[0].text.startswith("a = ")
    assert "3)" not in found[0].text or number is None


def test_code_and_inline_mathematics_are_not_equations() -> None:
    text = (
        "`$$a$$` and $b = c$ and\n\n```python\nx = '$$y$$'\n```\n\n    $$z$$\n\nprice $5 and $6\n\n$$q = 1 \\tag{1}$$\n"
    )
    assert [row.text for row in markdown(text).equations] == ["q = 1"]


def test_rows_with_numbers_of_their_own() -> None:
    found = markdown(
        "$$\n\\begin{aligned}a&=b\\\\c&=d\\end{aligned}\n$$\n\n\\begin{align}\na&=b\\tag{1}\\\\\nc&=d\\tag{2}\n\\end{align}\n"
    )
    assert numbers(found) == [None, "1", "2"]
    assert [row.line for row in found.equations] == [1, 6, 7]


def test_an_unclosed_display_does_not_swallow_the_next() -> None:
    found = markdown("$$a = b\n\ntext\n\n$$c = d \\tag{2}$$\n")
    assert numbers(found) == ["2"]
    assert "line 1" in found.not_extracted[0]
    again = latex("\\begin{equation} a\n\\section{B}\n\\begin{equation}b\\end{equation}")
    assert [row.text for row in again.equations] == ["b"]
    assert "not closed" in again.not_extracted[0]


def test_algorithms_and_tables_of_markdown() -> None:
    text = (
        "**Algorithm 2** A walk\n---\n1: start\n2: for $t = 1$ do\n3:    step\n---\n\nAlgorithm 2 is a walk. More.\n\n"
        "Table 3: Sizes\n\n| a | b |\n|---|---|\n| 1 | $x|$ |\n| 2 | y |\n"
    )
    found = markdown(text)
    assert [(row.ref, row.title, row.steps) for row in found.algorithms] == [
        ("n.md Algorithm 2", "A walk", ("start", "for $t = 1$ do", "step"))
    ]
    assert found.tables[0].ref == "n.md Table 3"
    assert found.tables[0].caption == "Sizes"
    assert found.tables[0].rows[2] == ("2", "y")


@pytest.mark.parametrize(
    "items",
    [
        "**C1** one\n\n**C2** two",
        "- C1: one\n- C2: two",
        "- C1. one\n- C2. two",
        "* **C1:** one\n* **C2:** two",
        "1. **C1** one\n2. **C2** two",
        "| id | text |\n|---|---|\n| C1 | one |\n| C2 | two |",
        "C1: one\nC2: two",
        "C1 — one\n\nC2 — two",
    ],
)
@pytest.mark.parametrize(
    "heading", ["## Acceptance criteria", "**Acceptance criteria**", "Acceptance criteria:", "Criteria\n---"]
)
def test_criteria_of_markdown(heading: str, items: str) -> None:
    found = markdown(f"# Notes\n\nH1: no criterion\n\n{heading}\n\n{items}\n\n## Next\n\nC3: none\n").criteria
    assert [(row.id, row.text) for row in found] == [("C1", "one"), ("C2", "two")]


def test_a_criterion_without_a_name_is_not_lost_and_other_criteria_are_not_taken_for_acceptance() -> None:
    found = markdown(
        "## Acceptance criteria\n\n- within 1e-6\n- **C1** installs\n- faster\n\n## Information criteria\n\n- AIC\n"
    )
    assert [row.id for row in found.criteria] == ["criterion-1", "C1", "criterion-2"]


@pytest.mark.parametrize(
    "directive",
    [
        "Build it.\n\n## Acceptance criteria\n\n- A1. within 1e-6\n- A2. covers 90% to 99%",
        "Build it. Acceptance criteria: A1 within 1e-6; A2 covers 90% to 99%.",
        "Build it.\nA1: within $10^{-6}$\nA2: covers 90% to 99%",
        "Build it.\n- **A1**: within 1e-6\n- **A2**: covers 90% to 99%",
    ],
)
def test_criteria_of_a_directive(directive: str) -> None:
    found = criteria_of_request(directive)
    assert [(row.ref, row.source, row.text) for row in found] == [
        ("request A1", "request", "within 1e-6"),
        ("request A2", "request", "covers 90% to 99%"),
    ]


def test_a_directive_without_criteria_has_none() -> None:
    assert criteria_of_request("Fix the intercept of fit() in version 1.2. Test H1: b = 0 at level A.") == ()
    assert criteria_of_request("") == ()


# --- other kinds


def test_plain_text_and_its_look_alikes() -> None:
    text = (
        "Model\n=====\n\n  y = a + b x    (1)\n\nThe mean value of this sentence = said in (2)\nsee (3)\n  f = g(4)\n"
        "  z ~ N(0, s)  (5)\n\nAcceptance criteria\n\nC1 within 1e-6\nC2: fast\n"
    )
    found = extract("model.txt", text.encode())
    assert found.kind == "text"
    assert numbers(found) == ["1", "5"]
    assert found.equations[0].symbols == ("y", "a", "b", "x")
    assert [row.id for row in found.criteria] == ["C1", "C2"]


def test_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# A\n", "\n", "$$a = b \\tag{1}$$"]},
        {
            "cell_type": "code",
            "source": "%matplotlib inline\ndef f(x, k=2):\n    '''Twice.'''\n    return '$$no$$'",
            "outputs": [1],
        },
        {"cell_type": "markdown", "source": "## Acceptance criteria\n- **A1** works"},
        {"cell_type": 7, "source": None},
        "nothing",
    ]
    found = extract("n.ipynb", json.dumps({"cells": cells, "metadata": {}}).encode())
    assert numbers(found) == ["1"]
    assert [row.ref for row in found.criteria] == ["n.ipynb A1"]
    assert [(row.signature, dict(row.defaults), row.documentation) for row in found.functions] == [
        ("f(x, k=2)", {"k": "2"}, "Twice.")
    ]
    assert found.functions[0].line is not None
    assert found.text.split("\n")[found.functions[0].line - 1].startswith("def f")
    assert "printed" in found.not_extracted[-1]


def test_python_code_is_read_and_not_run(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    code = f"open({str(proof)!r}, 'w')\ndef fit(x, *, level: float = 0.95) -> dict:\n    'Fits.'\ndef _own(): pass\n"
    code += (
        "class Model:\n    def __init__(self, k=3): pass\n    def predict(self, x): pass\n    def _hidden(self): pass\n"
    )
    found = extract("repo/m.py", code.encode())
    assert [row.signature for row in found.functions] == [
        "fit(x, *, level: float=0.95) -> dict", "class Model(k=3)", "Model.predict(self, x)"
    ]  # fmt: skip
    assert dict(found.functions[0].defaults) == {"level": "0.95"}
    assert not proof.exists()
    listed = extract("m.py", b"__all__ = ['_a']\ndef _a(): pass\ndef b(): pass\n")
    assert [row.name for row in listed.functions] == ["_a"]


def test_r_code_and_its_exports() -> None:
    code = (
        "#' Fit\n#'\n#' @export\nfit <- function(x, level = 0.95, f = function(a, b) a, s = \"a,)#b\") {\n"
        "  inner <- function(z) z\n}\n"
        'own <- function(x) "also <- function(y)"\nraw = r"(no <- function(z) 1)"\nother = \\(q) q\n'
    )
    tagged = extract("p/R/a.R", code.encode())
    assert [row.name for row in tagged.functions] == ["fit"]
    assert dict(tagged.functions[0].defaults) == {"level": "0.95", "f": "function(a, b) a", "s": '"a,)#b"'}
    assert tagged.functions[0].line == 4
    assert tagged.functions[0].documentation.startswith("Fit")
    plain = code.replace("@export", "none").encode()
    assert [row.name for row in extract("a.R", plain).functions] == ["fit", "own", "other"]
    files = {"p/R/a.R": plain, "p/NAMESPACE": b'export(own)\nexport("other")\n'}
    assert [row.name for row in read_sources(files).sources[0].functions] == ["own", "other"]


# --- symbols


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\hat{\boldsymbol{\beta}} = (\mathbf{X}'\mathbf{X})^{-1} \mathbf{X}' y", (r"\hat\beta", "X", "y")),
        (r"\widetilde\Sigma_{jk} + \overline{x}_i", (r"\tilde\Sigma", r"\bar x")),
        (r"\sum_{i=1}^n i x_i + \prod_{j \in S} a_j", ("x", "a")),
        (r"\int_0^1 f(x)\, dx + d_i", ("f", "x", "d")),
        (r"\mathrm{Var}(x) + \mathrm{se} + \operatorname{cov}(y) + \text{words in prose}", ("x", "se", "y")),
        (r"y_i^{*(t)} \mid y_i \sim N(\mu, \sigma^2), \; \boldsymbol{y}^*", ("y^*", "y", r"\mu", r"\sigma")),
        (r"X \in \mathbb{R}^{n \times k}", ("X", "n", "k")),
        (r"e^{-\lambda} \lambda^x / x!", (r"\lambda", "x")),
        (r"\frac{1}{\sqrt{2\pi}} + \pi_k", (r"\pi",)),
        (r"\begin{cases} a & \text{if } b > 0 \\ c \end{cases}", ("a", "b", "c")),
        (r"\log L + \exp(\theta)^\top", ("L", r"\theta")),
    ],
)
def test_symbols(formula: str, expected: tuple[str, ...]) -> None:
    assert symbols_of(formula) == expected


def test_commands_of_the_author_are_expanded_for_symbols() -> None:
    preamble = r"\newcommand{\bX}{\mathbf{X}}\def\hb#1{\hat{\beta}_{#1}}\newcommand{\pair}[2][q]{(#1, #2)}"
    found = latex(r"\[ \bX \hb{j} + \pair{r} + \pair[s]{t} \]", preamble).equations[0]
    assert found.symbols == ("X", r"\hat\beta", "q", "r", "s", "t")


# --- the listing


def test_the_listing_names_everything() -> None:
    text = render_index(read_sources(sample("probit.tex", "probit-mcmc.tex")))
    for wanted in (
        "probit.tex(5b)",
        "probit-mcmc.tex:4",
        "Random walk",
        "Design of the study",
        "probit.tex C3",
        "sha256",
    ):
        assert wanted in text
    assert hashlib.sha256((SAMPLES / "probit.tex").read_bytes()).hexdigest() in text


def test_a_source_cannot_leave_its_cell_in_the_listing() -> None:
    hostile = "$$a | b \\tag{1}$$\n\n## Acceptance criteria\n\n- **C1** x | y <script> ```\x1b[31m\n"
    text = render_index(read_sources({"n\n## forged.md": hostile.encode()}))
    assert "\x1b" not in text
    assert "<script>" not in text
    assert "\n## forged" not in text
    rows = [row for row in text.split("\n") if "(1)" in row and row.startswith("|")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 6
    stated = next(row for row in text.split("\n") if row.endswith(" |") and "script" in row)
    assert stated.replace("\\|", "").count("|") == 4


# --- hostile files


def _bomb() -> bytes:
    names = [f"\\{chr(97 + at)}{chr(97 + at)}" for at in range(25)]
    rows = [f"\\newcommand{{{one}}}{{{two}{two}}}" for one, two in pairwise(names)]
    return ("\n".join(rows) + f"\n\\begin{{equation}} {names[0]} = x \\end{{equation}}\n" * 20).encode()


HOSTILE = {
    "dollars": b"$" * 10_000_000,
    "pairs of dollars": b"$$x$$ " * 300_000,
    "braces": b"{" * 300_000,
    "definitions": b"\\newcommand{\\a}{" * 20_000,
    "a macro bomb": _bomb(),
    "a macro that is itself": b"\\def\\a{\\a x}\\[ \\a \\]",
    "environments": b"\\begin{equation}" * 20_000,
    "unclosed rows": b"\\begin{align} x \\\\" * 20_000,
    "headings": b"\\section" * 40_000,
    "inputs": b"\\input{a}" * 40_000,
    "titles": b"**Algorithm 1**\n" * 20_000,
    "items": b"# Acceptance criteria\n" + b"- **C1** x\n" * 20_000,
    "names": b"# Criteria\n" + b"".join(b"A%d one\n" % (2 * at % 1000) for at in range(20_000)),
    "demands": b"The package is accepted if " + b"(i) one and (a) two " * 20_000,
    "tables": b"\\begin{tabular}{l} A1 & x \\\\ " * 20_000,
    "lists": b"\\section{Acceptance criteria}" + b"\\begin{enumerate}\\item[A1] " * 20_000,
    "spaces": b"a = b" + b" " * 300_000 + b"(3",
    "accents": b"$$" + b"\\hat" * 4_000 + b"$$",
    "quads": b"$$x" + b"\\quad" * 60_000 + b"(3)$$",
    "backticks": b"` `` " * 60_000,
    "quotes": b"> " * 100_000,
    "nested lists": b"- " * 100_000,
    "a verbatim without end": b"\\begin{verbatim}" * 2 + b"\\[x\\]" * 1000,
    "zeros": b"\x00" * 1000,
    "noise": random.Random(4).randbytes(200_000),
    "nested brackets": b"(" * 100_000 + b"[" * 100_000,
    "deep JSON": b"[" * 200_000,
    "half a character": "é".encode()[:1] * 1000,
    "nothing": b"",
}


@pytest.mark.parametrize("name", ["a.tex", "a.md", "a.txt", "a.py", "a.R", "a.ipynb"])
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_costs_little_and_ends_in_plain_words(case: str, name: str) -> None:
    started = time.monotonic()
    found = extract(name, HOSTILE[case])
    text = render_index(Index((found,)))
    assert time.monotonic() - started < 10
    assert "Traceback" not in text
    assert all("\n" not in sentence and len(sentence) < 400 for sentence in found.not_extracted)


def test_what_could_not_be_read_is_said() -> None:
    assert "10,000,000 bytes" in extract("a.tex", HOSTILE["dollars"]).not_extracted[0]
    assert "expand without end" in extract("a.tex", HOSTILE["a macro bomb"]).not_extracted[-1]
    assert "binary" in extract("a.md", HOSTILE["noise"]).not_extracted[0]
    assert "empty" in extract("a.md", b"").not_extracted[0]
    assert "never closed" in extract("a.tex", HOSTILE["a verbatim without end"]).not_extracted[0]
    assert "not closed" in extract("a.tex", b"\\begin{align} a").not_extracted[0]
    assert "JSON" in extract("a.ipynb", b"{").not_extracted[0]
    assert "parsed" in extract("a.py", b"def f(:").not_extracted[0]


PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] >>"


def _pdf(pages: int = 1, *, size: int = 300, trailer: bytes = b"") -> bytes:
    kids = b" ".join(b"%d 0 R" % (3 + at) for at in range(pages))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages)]
    objects += [PAGE % (size, size)] * pages
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)


def test_pdfs_that_cannot_be_read_are_named_so() -> None:
    whole = (SAMPLES / "probit.pdf").read_bytes()
    broken = {"cut": whole[:300], "no pages": _pdf(0), "words": b"%PDF-1.4 hello", "empty": b""}
    for data in broken.values():
        found = extract("a.pdf", data)
        assert len(found.not_extracted) >= 1
        assert not found.equations
    locked = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >> /ID [(a) (a)] " % (b"x" * 32, b"y" * 32)
    assert "encrypted" in extract("a.pdf", _pdf(trailer=locked)).not_extracted[0]


def test_a_long_and_a_large_pdf_are_bounded() -> None:
    found = extract("scan.pdf", _pdf(45))
    assert len(found.images) == 40
    assert any("45 pages" in sentence for sentence in found.not_extracted)
    assert any("scanned or empty" in sentence for sentence in found.not_extracted)
    huge = extract("huge.pdf", _pdf(1, size=14_400))
    with Image.open(BytesIO(huge.images["huge-page-1.png"])) as image:
        assert max(image.size) <= 1_801
