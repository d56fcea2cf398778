"""A study as something that can be sent to a machine that does not have its files."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.recipe import Recipe, recipe_for
from statsclaw.montecarlo.storage import identity

_ELSEWHERE = "elsewhere"  # for files from outside the folder of the study


@dataclass(frozen=True, slots=True)
class PackedFile:
    """`place`: where it goes below the folder it is unpacked into."""

    path: Path
    place: str
    content: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Parcel:
    """The digest is that of everything in it: workers keep what they unpacked under it."""

    recipe: Recipe
    origin: Path | None
    files: tuple[PackedFile, ...]
    digest: str

    def study(self, scratch: Path) -> Study:
        """From the very files where this machine has them (a shared file system), else from copies in `scratch`."""
        if not all(_is_here(file) for file in self.files):
            return self._unpacked(scratch)
        study = self.recipe.study()
        return replace(study, origin=self.origin) if self.recipe.file is None else study

    def _unpacked(self, scratch: Path) -> Study:
        folder = Path(tempfile.mkdtemp(prefix="study-", dir=scratch))
        moved = {file.path: folder / file.place for file in self.files}
        for file in self.files:
            new = moved[file.path]
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(file.content)
            new.chmod(file.mode)
        if self.recipe.file is not None:
            return replace(self.recipe, file=moved[self.recipe.file]).study()
        study = self.recipe.study()
        return _elsewhere(study, moved, folder / self.origin.name if self.origin else None)


def parcel_of(study: Study) -> Parcel:
    recipe = recipe_for(study)
    if recipe is None:
        raise MachineRefused("the study holds functions of this session", todo="pip install 'statsclaw[dask]'")
    if study.program is not None:
        files: Iterable[Path] = identity.program_files(study)
    else:
        files = (recipe.file, *identity.local_modules(recipe.file)) if recipe.file is not None else ()
    folder = study.origin.parent if study.origin else None
    packed = tuple(_packed(file, number, folder) for number, file in enumerate(files))
    whole = pickle.dumps((recipe, study.origin, packed), protocol=5)
    return Parcel(recipe, study.origin, packed, hashlib.sha256(whole).hexdigest())


def _packed(file: Path, number: int, folder: Path | None) -> PackedFile:
    inside = folder is not None and file.is_relative_to(folder)
    place = file.relative_to(folder).as_posix() if inside and folder else f"{_ELSEWHERE}/{number}/{file.name}"
    try:
        return PackedFile(file, place, file.read_bytes(), file.stat().st_mode & 0o777)
    except OSError as error:
        raise MachineRefused(f"{file} cannot be read: {error.strerror}") from None


def _is_here(file: PackedFile) -> bool:
    try:
        return file.path.read_bytes() == file.content
    except OSError:
        return False


def _elsewhere(study: Study, moved: Mapping[Path, Path], origin: Path | None) -> Study:
    if study.program is None:
        return study
    names = {str(old): str(new) for old, new in moved.items()}
    argv = tuple(names.get(word, word) for word in study.program.argv)
    program = replace(study.program, argv=argv, files=tuple(moved[file] for file in study.program.files))
    return replace(study, program=program, origin=origin)
