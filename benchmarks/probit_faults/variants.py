"""The packages that are tried: the recorded one, the same with one slip, those written from a misread specification."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.demo.demo import shipped_files
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.specs.contract import SPECIFICATIONS, Contract, read_contract

HERE = Path(__file__).parent
_JUDGES = (PathClass.VALIDATION, PathClass.SIMULATION)


@dataclass(frozen=True)
class Variant:
    """`files`: the package as its builder left it, without the judges. `kind`: clean, slip or misreading."""

    id: str
    kind: str
    what: str
    files: dict[str, bytes]
    definitions: tuple[tuple[str, str], ...] = ()
    doubted: str = ""

    @property
    def digest(self) -> str:
        """Of all that is installed or tested; a document changes nothing."""
        return digest_of({p: data for p, data in self.files.items() if load_profile("r").classify(p) != PathClass.DOCS})


@cache
def recorded() -> tuple[dict[str, bytes], Contract, str]:
    """The files of the recorded run, its contract, and the code of its second reading."""
    material = Path(str(files("statsclaw.demo"))) / "probit-r"
    view, store = read_view(material / "recording"), ContentStore(material / "recording" / "store")
    names = ("comprehension.md", "interface.md", *SPECIFICATIONS)
    contract = read_contract({name: store.get_text(view.artifacts[name].sha256) for name in dict.fromkeys(names)})
    return shipped_files("probit-r"), contract, store.get_text(view.artifacts["reading.md"].sha256)


def judges() -> dict[str, bytes]:
    """The tester's questions and the simulator's study of the recorded run."""
    return {path: data for cls in _JUDGES for path, data in _handed_in(cls).items()}


def judge_digest(cls: PathClass) -> str:
    """Of what was handed in, and of the frozen criteria that it is judged by."""
    contract = recorded()[1]
    criteria = contract.tests if cls is PathClass.VALIDATION else contract.study
    assert criteria is not None
    return digest_of({**_handed_in(cls), "criteria": criteria.model_dump_json().encode()})


def _handed_in(cls: PathClass) -> dict[str, bytes]:
    """Without the suite for maintainers, which is made from the questions and judges nothing here."""
    found = {path: data for path, data in recorded()[0].items() if load_profile("r").classify(path) is cls}
    return {path: data for path, data in found.items() if not path.startswith("tests/testthat/")}


def digest_of(files: dict[str, bytes]) -> str:
    return sha256(json.dumps({path: sha256(data) for path, data in sorted(files.items())}).encode())


def variants() -> Iterator[Variant]:
    package = {path: data for path, data in recorded()[0].items() if load_profile("r").classify(path) not in _JUDGES}
    yield Variant("clean", "clean", "the package as it was built", package)
    for row in _rows("slips.toml", "slip"):
        text = package[row["file"]].decode()
        assert text.count(row["old"]) == 1, f"{row['id']}: its place is not where it was"
        yield Variant(
            row["id"], "slip", row["what"], {**package, row["file"]: text.replace(row["old"], row["new"]).encode()}
        )
    for row in _rows("misreadings.toml", "misreading"):
        folder = HERE / "misreadings" / row["id"]
        if folder.is_dir():
            own = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
            del own["implementation.md"]
            definitions = tuple((old, new) for old, new in row.get("definitions", ()))
            yield Variant(row["id"], "misreading", row["what"], own, definitions, row.get("doubted", ""))


def _rows(name: str, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((HERE / name).read_text(encoding="utf-8"))[key]
    return found
