"""Criteria that a source states: the forms in which people write them, and what only looks like them."""

from __future__ import annotations

import pytest

from statsclaw.sources.criteria import criteria_in
from statsclaw.sources.extract import criteria_of_request, extract, read_sources
from statsclaw.sources.listing import render_index
from statsclaw.sources.plaintext import plain_lines

_ACCEPTED = "The implementation is accepted if all of the\nfollowing hold:"


def found(name: str, text: str) -> list[tuple[str, str]]:
    return [(row.id, row.text) for row in extract(name, text.encode()).criteria]


ONE_TWO = [("K1", "one agrees"), ("K2", "two agrees")]
PLAIN = [("1", "one agrees"), ("2", "two agrees")]

# --- LaTeX


@pytest.mark.parametrize(
    "items",
    [
        "\\begin{description}\n\\item[K1] one agrees\n\\item[K2] two agrees\n\\end{description}",
        "\\begin{enumerate}\n\\item[\\textbf{K1}] one\n  agrees\n\\item[{K2.}] two agrees\n\\end{enumerate}",
        "\\begin{description}\n\\item[K1 (accuracy)] one agrees\n\\item[K2: speed] two agrees\n\\end{description}",
        "\\begin{itemize}\n\\item (K1) one agrees\n\\item (K2) two agrees\n\\end{itemize}",
        "\\textbf{K1} one agrees\n\n\\textbf{K2} two agrees",
        "K1 one agrees\n\nK2 two agrees",
        "(K1) one agrees; (K2) two agrees",
        "\\begin{tabular}{ll}\n\\toprule\nid & what \\\\\nK1 & one\nagrees \\\\\nK2 & two agrees \\\\\n\\end{tabular}",
    ],
)
@pytest.mark.parametrize(
    "lead",
    [
        "\\section{Acceptance criteria}",
        "\\section{Success criteria}",
        "\\subsection*{Requirements for the implementation}",
        "\\section{Validation targets}",
        "\\section{What we ask for}",
        "\\section{What must work}",
        f"\\section{{Software}}\n\n{_ACCEPTED}\n",
        "We accept the package when",
    ],
)
def test_named_criteria_of_latex(lead: str, items: str) -> None:
    text = f"\\section{{Model}}\nThe model.\n\n{lead}\n{items}\n\n\\section{{Next}}\n\\item[K3] not one\n\nK4: not one"
    rows = found("note.tex", text)
    assert [row[0] for row in rows] == ["K1", "K2"]
    assert rows[0][1].endswith("one agrees")
    assert rows[1][1].rstrip(".").endswith("two agrees")


@pytest.mark.parametrize("lead", ["\\section{Acceptance criteria}", f"\\section{{Software}}\n\n{_ACCEPTED}"])
def test_an_enumeration_of_latex_is_named_by_its_numbers(lead: str) -> None:
    text = (
        f"{lead}\n\\begin{{enumerate}}\n\\item one\n agrees\n\\item two agrees\n\\end{{enumerate}}\n\n\\section{{B}}\n"
    )
    assert found("note.tex", text) == PLAIN
    roman = text.replace("\\begin{enumerate}", "\\begin{enumerate}[label=(\\roman*)]")
    assert [row[0] for row in found("note.tex", roman)] == ["i", "ii"]


def test_a_list_inside_a_criterion_of_latex_belongs_to_it() -> None:
    inner = "\\begin{enumerate}\n\\item for small samples\n\\item for large ones\n\\end{enumerate}"
    text = (
        f"\\section{{Acceptance criteria}}\n\\begin{{enumerate}}\n\\item one\n{inner}\n\\item two\n\\end{{enumerate}}\n"
    )
    rows = found("note.tex", text)
    assert [row[0] for row in rows] == ["1", "2"]
    assert "small samples" in rows[0][1]


def test_what_follows_a_list_of_latex_is_no_part_of_it() -> None:
    steps = "\\begin{enumerate}\\item draw\\item fit\\end{enumerate}"
    items = "\\begin{enumerate}[label=\\textbf{K\\arabic*.}]\n\\item one \\item two\n\\end{enumerate}"
    text = f"\\section{{Software}}\n{_ACCEPTED}\n{items}\nAfter that,\n{steps}\n\\end{{document}}"
    assert found("note.tex", text) == [("K1", "one"), ("K2", "two")]


def test_a_table_of_latex_with_the_caption_acceptance_criteria() -> None:
    cells = "\\begin{tabular}{lll}\nid & quantity & bound \\\\\n\\hline\nK1 & coverage & between 90\\% and 99\\% \\\\\n"
    table = f"\\begin{{table}}\n\\caption{{Acceptance criteria}}\n{cells}\\end{{tabular}}\n\\end{{table}}\n"
    text = f"\\section{{Results}}\n{table}"
    assert found("note.tex", text) == [("K1", "coverage, between 90% and 99%")]


# --- Markdown


@pytest.mark.parametrize(
    "items",
    [
        "**K1** one agrees\n\n**K2** two agrees",
        "- K1: one agrees\n- K2: two agrees",
        "(K1) one\nagrees\n\n(K2) two agrees",
        "- K1. one agrees\n- K2. two agrees",
        "K1 one agrees\n\nK2 two agrees",
        "K1: one agrees. K2: two agrees",
        "- K1 one agrees\n- K2 two agrees",
        "| id | demand |\n|---|---|\n| K1 | one agrees |\n| **K2** | two agrees |",
        "| demand no. | demand |\n|---|---|\n| K1 | one agrees |\n| K2 | two agrees |",
    ],
)
@pytest.mark.parametrize(
    "lead",
    [
        "## 4. Acceptance criteria",
        "## Success criteria",
        "## Requirements",
        "## Accuracy targets",
        "## Acceptance\n\nWe require:",
        f"## Software\n\n{_ACCEPTED}",
        "The package counts as correct when:",
    ],
)
def test_named_criteria_of_markdown(lead: str, items: str) -> None:
    text = f"# Note\n\nK0: no criterion\n\n{lead}\n\n{items}\n\n## Next\n\nK3: none\n"
    assert [(name, words.rstrip(".")) for name, words in found("note.md", text)] == ONE_TWO


@pytest.mark.parametrize(
    "items",
    [
        "1. one agrees\n2. two agrees",
        "1) one\n   agrees\n\n2) two agrees",
        "(1) one agrees\n(2) two agrees",
        "1. one agrees\n1. two agrees",
    ],
)
@pytest.mark.parametrize("lead", ["## Acceptance criteria", "## Criteria", "## Requirements", f"## Use\n\n{_ACCEPTED}"])
def test_a_numbered_list_of_markdown_is_named_by_its_numbers(lead: str, items: str) -> None:
    assert found("note.md", f"{lead}\n\n{items}\n\n## Next\n\n1. none\n") == PLAIN


def test_roman_numbers_and_letters_name_criteria_too() -> None:
    assert found("note.md", "## Acceptance criteria\n\n(i) one\n(ii) two\n") == [("i", "one"), ("ii", "two")]
    assert found("note.md", "## Acceptance criteria\n\n(a) one\n(b) two\n") == [("a", "one"), ("b", "two")]
    said = "The implementation is accepted if (i) one agrees within 1e-6, and (ii) two agrees."
    assert found("note.md", f"# Note\n\n{said}\n") == [("i", "one agrees within 1e-6"), ("ii", "two agrees")]


def test_criteria_below_subheadings_and_items_inside_items() -> None:
    text = "## Acceptance criteria\n\n### Accuracy\n\n- **K1** one:\n  - small n\n  - large n\n\n"
    text += "### Speed\n\n- **K2** two\n"
    assert found("note.md", text) == [("K1", "one: - small n - large n"), ("K2", "two")]


def test_two_numbered_lists_of_criteria_are_both_kept() -> None:
    text = "## Acceptance criteria\n\nOf the estimator:\n\n1. one\n2. two\n\nOf the study:\n\n1. three\n"
    rows = extract("note.md", text.encode()).criteria
    assert [row.ref for row in rows] == ["note.md 1", "note.md 2", "note.md 1@10"]


def test_a_table_that_says_criterion_needs_no_names_below_a_heading_about_acceptance() -> None:
    table = (
        "| criterion | bound |\n|---|---|\n| error of the coefficients | at most 1e-6 |\n| coverage | 90% to 99% |\n"
    )
    assert found("note.md", f"## Success criteria\n\n{table}") == [
        ("criterion-1", "error of the coefficients, at most 1e-6"),
        ("criterion-2", "coverage, 90% to 99%"),
    ]
    named = "| no. | criterion |\n|---|---|\n| 1 | one |\n| 2 | two |\n"
    assert found("note.md", f"## Success criteria\n\n{named}") == [("1", "one"), ("2", "two")]


def test_a_table_of_acceptance_criteria_is_found_wherever_it_stands() -> None:
    rows = "|---|---|\n| K1 | one |\n| K2 | two |\n"
    assert found("note.md", f"## Study\n\n| id | acceptance criterion |\n{rows}") == [("K1", "one"), ("K2", "two")]
    assert found("note.md", f"## Study\n\n| criterion | bound |\n{rows}") == [("K1", "one"), ("K2", "two")]
    assert found("note.md", f"## Study\n\n| design | n |\n{rows}") == []


# --- plain text, directive, listing


def test_numbered_criteria_of_plain_text_end_at_the_next_section() -> None:
    text = "4. Acceptance criteria\n\n1. one agrees\n2. two\n   agrees\n\n3. three\n4. four\n\n5. Conclusion\n\nDone.\n"
    rows = found("note.txt", text)
    assert [name for name, _ in rows] == ["1", "2", "3", "4"]
    assert rows[1] == ("2", "two agrees")
    lead = f"The note.\n\n{_ACCEPTED}\n\nK1 one agrees\nK2 two agrees\n\nThe rest.\nK3: none\n"
    assert found("note.txt", lead) == ONE_TWO


def test_the_text_of_a_pdf_has_no_empty_lines() -> None:
    text = "4 Software\nThe note is short.\nThe implementation is accepted if all of\nthe following hold:\n1. One\n"
    text += "agrees.\n2. Two agrees.\nThe rest is prose.\n1. No criterion.\n5 Next\n1. None.\n"
    rows = criteria_in("note.pdf", plain_lines(text.split("\n"), sentences_end=True))
    assert [(row.ref, row.text) for row in rows] == [("note.pdf 1", "One agrees."), ("note.pdf 2", "Two agrees.")]


def test_numbered_criteria_of_a_directive() -> None:
    rows = criteria_of_request("Build it.\n\n## Acceptance criteria\n\n1. within 1e-6\n2. installs\n")
    assert [(row.ref, row.text) for row in rows] == [("request 1", "within 1e-6"), ("request 2", "installs")]


def test_what_is_found_is_listed_and_counted() -> None:
    text = "# Note\n\n## Success criteria\n\n1. within $10^{-6}$\n2. installs\n"
    listed = render_index(read_sources({"notes.md": text.encode()}))
    assert "2 stated criteria" in listed
    assert "| notes.md 1 | 5 | within 1e-6 |" in listed


# --- what is none

NONE = {
    "steps of the implementation": "## Implementation\n\nThe implementation proceeds as follows:\n\n1. draw\n2. fit\n",
    "an ordinary list": "## Contributions\n\n1. a new estimator\n2. a proof\n",
    "assumptions": "## Assumptions\n\n**A1** exogeneity\n\n**A2** full rank\n",
    "we require, of a theorem": "## Asymptotics\n\nWe require:\n\n(i) full rank\n(ii) finite moments\n",
    "a proposal that is accepted": "## Sampler\n\nThe proposal is accepted if:\n\n1. it is in the support\n2. u < r\n",
    "acceptance rate": "## Acceptance rate\n\n1. tune\n2. run\n",
    "information criteria": "## Information criteria\n\n- **IC1** of Bai and Ng\n- **IC2** another\n",
    "stopping criteria": "## Stopping criteria\n\n1. the gradient is small\n2. 100 iterations\n",
    "model selection": "## Fit\n\n| Criterion | m1 | m2 |\n|---|---|---|\n| AIC | 10 | 12 |\n| BIC | 11 | 13 |\n",
    "a table of designs": "## Acceptance criteria\n\nSee:\n\n| design | n |\n|---|---|\n| D1 | 100 |\n| D2 | 200 |\n",
    "mentions of other things": (
        "## Acceptance criteria\n\nTable A1 and Appendix A1 help. Assumption A1 holds. Algorithm 1 is exact.\n\n"
        "Table A2: sizes.\n\nAppendix A3: proofs.\n\n**Assumption A4.** rank\n\nAlgorithm 5. Newton\n"
    ),
    "names that are only mentioned": "## Criteria\n\nA1 and A2 are exact. A3 is statistical.\n\nA1–A3 are below.\n",
    "steps below a heading about criteria": (
        "## Acceptance criteria\n\nThe study proceeds in these steps:\n\n1. draw\n2. fit\n"
    ),
    "what comes after the list of a lead-in": f"{_ACCEPTED}\n\nAs said above.\n\n1. draw\n2. fit\n",
    "things to install": "## Requirements\n\n- numpy\n- scipy\n",
    "system requirements": "## System requirements\n\n1. Linux\n2. 8 GB\n",
    "a target distribution": "## Target distribution\n\n1. the prior\n2. the likelihood\n",
    "a list that starts in the middle": "## Acceptance criteria\n\n7. Conclusion\n",
    "criteria that are compared": "## Fit\n\nWe compare the following criteria:\n\n1. AIC\n2. BIC\n",
}  # fmt: skip


@pytest.mark.parametrize("case", NONE)
def test_what_only_looks_like_criteria_is_none(case: str) -> None:
    assert found("note.md", NONE[case]) == []


def test_an_ordinary_list_and_table_of_latex_are_none() -> None:
    steps = "\\begin{enumerate}\n\\item draw\n\\item fit\n\\end{enumerate}"
    table = "\\begin{table}\\caption{Designs}\n\\begin{tabular}{ll}\nM1 & 100 \\\\\n\\end{tabular}\n\\end{table}"
    assumed = "\\begin{description}\n\\item[A1] exogeneity\n\\item[A2] full rank\n\\end{description}"
    text = f"\\section{{Algorithm}}\n{steps}\n\\section{{Assumptions}}\n{assumed}\n\\section{{Study}}\n{table}\n"
    assert found("note.tex", text) == []


# --- forms of the live runs


def test_criteria_of_acceptance_are_counted_as_their_author_counts_them() -> None:
    text = "# Regression\n\nWanted is a package.\n\nCriteria of acceptance:\n\n(i) one agrees;\n(ii) two agrees.\n"
    assert [row[0] for row in found("note.md", text)] == ["i", "ii"]


def test_criteria_in_one_paragraph_below_what_is_wanted() -> None:
    text = "\\section{Wanted}\nA package.\n\nC1: one agrees to $10^{-12}$. C2: with perfect\ndata two agrees.\n"
    assert [row[0] for row in found("note.tex", text)] == ["C1", "C2"]
