"""A study in a TOML or YAML file, for data and methods in R or any other language."""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    FiniteFloat,
    PlainValidator,
    StrictInt,
    Tag,
    ValidationError,
    model_validator,
)

from statsclaw.montecarlo.design import (
    OF_DATA,
    Cell,
    Criterion,
    Level,
    Program,
    Study,
    StudyRefused,
    Truth,
    cell_name,
    said_by_program,
)
from statsclaw.montecarlo.programs.file_lines import LineOf, duplicate_in_yaml, line_in_toml, line_in_yaml
from statsclaw.montecarlo.validate import validate
from statsclaw.words import or_else

SUFFIXES = (".toml", ".yaml", ".yml")
MOST_BYTES = 10 * 2**20
_MOST_EXACT = 2**53  # above, not every whole number is a double, which is what other languages get

Number = Annotated[FiniteFloat, Field(strict=True)]


def _as_level(value: object) -> Level:
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("it must be a finite number, a text or true/false")
    if isinstance(value, int) and abs(value) > _MOST_EXACT:
        raise ValueError("it is too large to be an exact number")
    return value


FileLevel = Annotated[Any, PlainValidator(_as_level)]
FileLevels = Annotated[list[FileLevel], BeforeValidator(lambda value: value if isinstance(value, list) else [value])]
TruthRow = dict[str, FileLevel]
#: A table of parameters, rows of levels and parameters, or the name of a CSV file with such rows. "data": the truth
#: depends on the data, and the program says it.
FileTruth = Annotated[
    Annotated[dict[str, Number | Literal["data"]], Tag("dict")]
    | Annotated[list[TruthRow], Tag("list")]
    | Annotated[str, Tag("str")],
    Discriminator(lambda value: type(value).__name__),
]

FileReplications = Annotated[
    Annotated[StrictInt, Tag("int")] | Annotated[dict[str, StrictInt], Tag("dict")],
    Discriminator(lambda value: type(value).__name__),
]
_MUST_BE = {
    "truth": "a table of parameters, a list of rows or the name of a CSV file",
    "replications": "a whole number, or a table from cells to whole numbers",
}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ProgramTable(_Table):
    """`files`: what the results depend on beside the program itself: data, sourced files."""

    r: str | None = None
    command: list[str] | None = None
    files: list[str] = []

    @model_validator(mode="after")
    def _one_program(self) -> ProgramTable:
        if (self.r is None) == (self.command is None) or not (self.r or (self.command and self.command[0])):
            raise ValueError('give either r = "study.R" or command = ["./program", "argument"]')
        return self


class CriterionTable(_Table):
    id: str
    metric: str
    method: str
    parameter: str | None = None
    low: float | None = None
    high: float | None = None
    cells: dict[str, FileLevels] = {}
    field: str | None = None
    unit: str = "absolute"
    reference: str | None = None
    axis: str | None = None
    of: str | None = None
    source: str = ""
    faults: list[str] = []
    minus: str | None = None

    def criterion(self) -> Criterion:
        return Criterion(**self.model_dump())


class StudyFile(_Table):
    """The file as it is written."""

    name: str
    replications: FileReplications
    seed: StrictInt
    methods: list[str]
    program: ProgramTable
    truth: FileTruth
    grid: dict[str, list[FileLevel]] = {}
    criterion: list[CriterionTable] = []
    description: str = ""
    level: float = 0.95
    cap: StrictInt | None = None
    timeout: float | None = None
    failures_allowed: float = 0.01
    leave_out: list[dict[str, FileLevels]] = []
    common_random_numbers: bool = False
    mcse: dict[str, Number] = {}
    metrics: str = ""


@dataclass(frozen=True, slots=True)
class TruthTable:
    """Truth by cell: every row holds levels of some axes, and the values of parameters in the cells that have them."""

    rows: Sequence[Mapping[str, Level]]
    axes: tuple[str, ...]

    def __call__(self, cell: Cell) -> dict[str, float]:
        fitting = [row for row in self.rows if all(_same(row[axis], cell[axis]) for axis in self.axes if axis in row)]
        if len(fitting) != 1:
            raise StudyRefused(f"{len(fitting) or 'no'} rows of the truth fit the cell {cell_name(cell)}, not one")
        return {name: _number(value, name) for name, value in fitting[0].items() if name not in self.axes}


def load_study_file(path: Path) -> Study:
    """The study a file describes. Whatever is wrong with it is one sentence, with the line where that is known."""
    path = Path(path).absolute()
    text = _read(path)
    read = _read_toml if path.suffix == ".toml" else _read_yaml
    content, line_of = read(path, text)
    if not isinstance(content, dict):
        raise _refused(path, None, "it is not a mapping from keys to values")
    try:
        file = StudyFile.model_validate(content)
    except ValidationError as error:
        raise _refused(path, *_first_problem(error, line_of)) from None
    try:
        return validate(_study(file, path))
    except StudyRefused as error:
        raise _refused(path, None, str(error)) from None


def _study(file: StudyFile, path: Path) -> Study:
    return Study(
        name=file.name,
        grid=file.grid,
        methods=tuple(file.methods),
        truth=_truth(file, path),
        replications=file.replications,
        seed=file.seed,
        program=_program(file.program, path.parent),
        criteria=tuple(table.criterion() for table in file.criterion),
        level=file.level,
        cap=file.cap,
        timeout=file.timeout,
        failures_allowed=file.failures_allowed,
        leave_out=tuple(file.leave_out),
        common_random_numbers=file.common_random_numbers,
        mcse=file.mcse,
        metrics=_metrics(_existing(path.parent, file.metrics)) if file.metrics else {},
        description=file.description,
        origin=path,
    )


def _program(table: ProgramTable, folder: Path) -> Program:
    """Whatever of a command is a file beside the study is one of the files the results depend on."""
    files = [_existing(folder, name) for name in table.files]
    if table.r is not None:
        file = _existing(folder, table.r)
        return Program("r", (str(file),), (file, *files))
    assert table.command is not None
    argv = [_beside(folder, word) for word in table.command]
    own = [word for word in argv if isinstance(word, Path)]
    return Program("command", tuple(map(str, argv)), tuple(dict.fromkeys((*own, *files))))


def _beside(folder: Path, word: str) -> Path | str:
    """An absolute path where the word is the name of a file of the study."""
    if not word or "\0" in word or len(word) > 255:
        return word
    return folder / word if (folder / word).is_file() else word


def _existing(folder: Path, name: str) -> Path:
    if not name or "\0" in name or not (folder / name).is_file():
        raise StudyRefused(f"there is no file {name!r} in {folder}")
    return folder / name


def _truth(file: StudyFile, path: Path) -> Truth:
    if isinstance(file.truth, dict):
        return {name: said_by_program if value == OF_DATA else float(value) for name, value in file.truth.items()}
    axes = tuple(file.grid)
    if isinstance(file.truth, list):
        return TruthTable(file.truth, axes)
    source = _existing(path.parent, file.truth)
    try:
        with source.open(newline="", encoding="utf-8-sig") as lines:
            rows = list(csv.DictReader(lines, strict=True))
    except (csv.Error, UnicodeDecodeError, OSError) as error:
        raise StudyRefused(f"{source.name} is no table of comma-separated values: {error}") from None
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise StudyRefused(f"line {number} of {source.name} has another number of fields than its first line")
    return TruthTable(rows, axes)


def _metrics(file: Path) -> dict[str, Callable[..., float]]:
    """The public functions of a file in Python."""
    content: dict[str, Any] = {"__name__": file.stem}
    try:
        exec(compile(file.read_bytes(), str(file), "exec"), content)  # the person's own code, as a study in Python is
    except Exception as error:
        raise StudyRefused(f"{file.name} cannot be loaded: {type(error).__name__}: {error}") from None
    own = {name: each for name, each in content.items() if isinstance(each, FunctionType) and name[0] != "_"}
    return {name: each for name, each in own.items() if each.__globals__ is content}


def _same(written: Level, level: Level) -> bool:
    """In a CSV everything is written as text."""
    if isinstance(written, str) and not isinstance(level, str):
        if isinstance(level, bool):
            return written.strip().lower() == str(level).lower()
        try:
            return float(written) == level
        except ValueError:
            return False
    return isinstance(written, bool) == isinstance(level, bool) and written == level


def _number(value: Level, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise StudyRefused(f"the truth of {name} is {value!r}, not a finite number")
    return number


def _read(path: Path) -> str:
    if path.suffix not in SUFFIXES:
        raise StudyRefused(f"{path.name}: a study file ends in {', '.join(SUFFIXES)}")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _refused(
                path, None, f"it has more than {MOST_BYTES:,} bytes; put long tables of truth into a CSV file"
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(path, None, "it is not text in UTF-8") from None
    except (OSError, ValueError) as error:
        raise _refused(path, None, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _read_toml(path: Path, text: str) -> tuple[Any, LineOf]:
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise _refused(path, None, f"it is not TOML: {error}") from None
    return content, lambda keys: line_in_toml(text, keys)


def _read_yaml(path: Path, text: str) -> tuple[Any, LineOf]:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise _refused(path, line, f"it is not YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _refused(path, None, f"it is not YAML: {error}") from None
    if duplicate := duplicate_in_yaml(node):
        raise _refused(path, duplicate[1], f"the key {duplicate[0]!r} is given twice")
    return ({} if content is None else content), lambda keys: line_in_yaml(node, keys)


def _first_problem(error: ValidationError, line_of: LineOf) -> tuple[int | None, str]:
    """Where the first problem is, and what it is."""
    problems = error.errors(include_url=False, include_input=False)
    # a key that is misspelt is unknown and missing: say the former
    problem = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    keys = tuple(key for key in problem["loc"] if not _is_type_name(key))
    where = ".".join(str(key) for key in keys)
    if problem["type"] == "extra_forbidden":
        said = f"the key {where!r} is not known{_meant(keys)}"
    elif problem["type"] == "missing":
        said = f"the key {where!r} is missing"
    elif problem["type"] == "union_tag_invalid":
        said = f"{where} must be {_MUST_BE[where]}"
    else:
        said = f"{where}: {problem['msg'].removeprefix('Value error, ')}" if where else problem["msg"]
    return line_of(keys), said


def _meant(keys: Sequence[int | str]) -> str:
    tables: dict[str, type[BaseModel]] = {"criterion": CriterionTable, "program": ProgramTable}
    said = or_else(str(keys[-1]), tables.get(str(keys[0]), StudyFile).model_fields)
    return said if said.startswith(":") else ""


def _is_type_name(key: int | str) -> bool:
    """pydantic puts the alternative of a union among the keys."""
    return key in ("dict", "int", "list", "str")


def _refused(path: Path, line: int | None, sentence: str) -> StudyRefused:
    where = path.name if line is None else f"{path.name}, line {line}"
    return StudyRefused(" ".join(f"{where}: {sentence}".split())[:1000])
