"""comprehension.md: what was understood, in a form that can be counted, evaluated and compared."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from statsclaw.sources.quotation import count_words
from statsclaw.specs.words import Id, Number, Typed, Words

Symbolic = Annotated[str, BeforeValidator(str), Field(pattern=r"^(\d{1,6}|[A-Za-z]\w{0,30})( ?[+-] ?\d{1,6})?$")]
#: How much hangs on a choice, from most to least.
Changes = Literal["results", "interface", "failures", "wording"]
RANK: tuple[Changes, ...] = ("results", "interface", "failures", "wording")
#: A shorter quotation says where something is mentioned, not what it is.
_FEWEST_WORDS = 3
_SHOWN_OF_A_QUOTATION = 60
_MOST_ALTERNATIVES = 40


class SourceRead(Typed):
    name: Words
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class EquationRead(Typed):
    """`ref`: the equation as the list of references names it. `restated`: in the reader's own notation."""

    ref: Words
    restated: Words
    meaning: Words


class SymbolRead(Typed):
    """`dimension`: [] for a number, [n] for a vector, [n, k] for a matrix, with whole numbers or letters."""

    symbol: Words
    meaning: Words
    dimension: tuple[Symbolic, ...] = ()
    domain: Words


class Otherwise(Typed):
    """What else could be meant: a function of the code, with the arguments of the definition it stands instead of."""

    function: Annotated[str, Field(pattern=r"^[a-z]\w{0,59}$")]
    instead_of: Words
    label: Words


class Assumption(Typed):
    """`otherwise`: what is executed beside it. `why_not`: why nothing else can be meant, or changes a result."""

    text: Words
    stated: bool
    otherwise: Otherwise | None = None
    why_not: Words | None = None

    @model_validator(mode="after")
    def _one_or_none(self) -> Assumption:
        if self.otherwise is not None and self.stated:
            raise ValueError("what the source states has no otherwise; with stated: false it is tried")
        if self.otherwise is not None and self.why_not is not None:
            raise ValueError("an assumption has otherwise or why_not, not both")
        return self


class ChoiceOption(Typed):
    """`functions`: what is computed if it is taken, as definition → function of the code, to be executed beside it."""

    label: Words
    consequence: Words
    functions: dict[str, Annotated[str, Field(pattern=r"^[a-z]\w{0,59}$")]] = {}

    @property
    def alternatives(self) -> list[Otherwise]:
        rows = self.functions.items()
        return [Otherwise(function=name, instead_of=definition, label=self.label) for definition, name in rows]


class Choice(Typed):
    """What the sources leave undecided. `default`: number of the safe option, from 0. `decision`: what was decided."""

    id: Id
    question: Words
    options: Annotated[tuple[ChoiceOption, ...], Field(min_length=2, max_length=9)]
    default: Annotated[int, Field(ge=0, le=8, strict=True)]
    changes: Changes
    decided_by: Literal["nobody", "person", "planner"] = "nobody"
    decision: Annotated[int, Field(ge=0, le=8, strict=True)] | None = None

    @model_validator(mode="after")
    def _decided_or_not(self) -> Choice:
        if self.default >= len(self.options) or (self.decision or 0) >= len(self.options):
            raise ValueError("default and decision are numbers of options, counted from 0")
        if (self.decided_by == "nobody") != (self.decision is None):
            raise ValueError("a decision has somebody who made it, and the other way round")
        if self.decided_by == "planner" and self.changes == "results":
            raise ValueError("a choice that changes results is the person's, not the planner's")
        return self


class Answer(Typed):
    question: Words
    answer: Words


class Variable(Typed):
    """One argument of a definition. Random valid inputs are drawn from it.

    `kind` real, positive, probability, integer, binary, or posdef (a symmetric positive definite matrix).
    `low`, `high` narrow a real, positive, probability or integer. `edges`: further values a number is tried at.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z]\w{0,40}$")]
    kind: Literal["real", "positive", "probability", "integer", "binary", "posdef"] = "real"
    dimension: tuple[Symbolic, ...] = ()
    low: Number | None = None
    high: Number | None = None
    edges: Annotated[tuple[Number, ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Variable:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"{self.name}: low is not below high")
        if self.kind == "posdef" and (len(self.dimension) != 2 or self.dimension[0] != self.dimension[1]):
            raise ValueError(f"{self.name}: a positive definite matrix is square")
        return self


class Definition(Typed):
    """A quantity of the source as a pure function: how it is called. What it computes stands in the code.

    `quote`: the words that define a quantity without a number; `ref` is then the name of the source.
    `follows`: the choices that decide what it computes where the source leaves that open; one may stand alone.
    """

    ref: Words
    quote: Annotated[str, Field(min_length=10, max_length=600)] | None = None
    function: Annotated[str, Field(pattern=r"^[a-z]\w{0,60}$")]
    quantity: Words
    arguments: Annotated[tuple[Variable, ...], Field(min_length=1, max_length=12)]
    returns: tuple[Symbolic, ...] = ()
    follows: Annotated[tuple[Id, ...], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)] = ()

    @model_validator(mode="after")
    def _quotes_words(self) -> Definition:
        if self.quote is not None and count_words(self.quote) < _FEWEST_WORDS:
            raise ValueError(f"{self.function}: a quote is a passage that defines it, of {_FEWEST_WORDS} words or more")
        return self

    @property
    def place(self) -> str:
        """What it computes, for people: an equation, or the first words of a passage."""
        if self.quote is None:
            return self.ref
        words = " ".join(self.quote.split())
        cut = words if len(words) <= _SHOWN_OF_A_QUOTATION else words[: _SHOWN_OF_A_QUOTATION - 1] + "…"
        return f"{self.ref} “{cut}”"


class Pilot(Typed):
    """A cheap draw of a criterion's quantity under the specification as it stands: `function(rng)` returns one value.

    The engine draws it `draws` times and compares with the criterion's bounds: requirements that contradict each
    other show before anybody builds anything.
    """

    criterion: Id
    function: Annotated[str, Field(pattern=r"^[a-z]\w{0,60}$")]
    draws: Annotated[int, Field(ge=10, le=2000, strict=True)] = 40


class Comprehension(Typed):
    """`not_computed`: equations without an executable definition, each with the reason."""

    sources: tuple[SourceRead, ...]
    equations: tuple[EquationRead, ...]
    not_computed: dict[str, Words] = {}
    symbols: tuple[SymbolRead, ...]
    assumptions: tuple[Assumption, ...] = ()
    choices: Annotated[tuple[Choice, ...], Field(max_length=40)] = ()
    definitions: tuple[Definition, ...] = ()
    pilots: Annotated[tuple[Pilot, ...], Field(max_length=40)] = ()
    self_test: Annotated[tuple[Answer, ...], Field(min_length=1)]
    verdict: Literal["fully understood", "understood with assumptions", "partial"]
    questions: Annotated[tuple[Words, ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Comprehension:
        for what, names in (
            ("choice", [*(choice.id for choice in self.choices), *(row.function for row in self.alternatives)]),
            ("equation", [equation.ref for equation in self.equations]),
            ("definition", [row.function for row in self.definitions] + [row.function for row in self.alternatives]),
            ("symbol", [symbol.symbol for symbol in self.symbols]),
        ):
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise ValueError(f"the {what} {twice[0]!r} stands here twice")
        defined = {definition.function for definition in self.definitions}
        for other in (*self.alternatives, *self.of_options):
            if other.instead_of not in defined:
                raise ValueError(f"{other.function}: {other.instead_of[:60]} is no definition to stand instead of")
        for definition in self.definitions:
            if unknown := set(definition.follows).difference(choice.id for choice in self.choices):
                raise ValueError(f"{definition.function} follows {min(unknown)}, which is no choice")
        if max(len(self.alternatives), len(self.of_options)) > _MOST_ALTERNATIVES:
            raise ValueError(f"at most {_MOST_ALTERNATIVES} assumptions have an otherwise, and options functions")
        if self.verdict == "partial" and not self.questions:
            raise ValueError("partial understanding needs questions to the person")
        if self.verdict == "fully understood" and any(not a.stated for a in self.assumptions):
            raise ValueError('with implicit assumptions the verdict is "understood with assumptions"')
        return self

    @property
    def alternatives(self) -> list[Otherwise]:
        """What else could be meant, of every assumption that says so."""
        return [row.otherwise for row in self.assumptions if row.otherwise is not None]

    @property
    def of_options(self) -> list[Otherwise]:
        """What the options of choices would compute, of every option that says so."""
        return [row for choice in self.choices for option in choice.options for row in option.alternatives]

    @property
    def executable(self) -> list[Definition]:
        """Every function that is called like a definition: the definitions, and what stands instead of one."""
        rows = {row.function: row for row in self.definitions}
        found = dict(rows)
        for row in (*self.alternatives, *self.of_options):
            found.setdefault(row.function, rows[row.instead_of].model_copy(update={"function": row.function}))
        return list(found.values())

    @property
    def own_choices(self) -> list[Choice]:
        """What the planner decided itself."""
        return [choice for choice in self.choices if choice.decided_by == "planner"]

    def followers(self, choice: Choice) -> list[str]:
        """The definitions that say that they compute as it was decided."""
        return [row.function for row in self.definitions if choice.id in row.follows]

    @property
    def computed_refs(self) -> list[str]:
        """The equations that have a definition; what is defined in words has no name that a criterion could carry."""
        return list(dict.fromkeys(row.ref for row in self.definitions if row.quote is None))

    @property
    def open_choices(self) -> list[Choice]:
        """What nobody has decided, the weightiest first."""
        return sorted((c for c in self.choices if c.decided_by == "nobody"), key=lambda c: RANK.index(c.changes))
