"""The modules that a study has imported into a worker."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Set
from pathlib import Path

from statsclaw.montecarlo.batch import Loaded
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage.loaded import FILE, PYTHON

_STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_OWN = str(Path(__file__).parents[2])
_NEVER = ("__main__", "statsclaw")
_INSTALLED = ("site-packages", "dist-packages")


class Modules:
    """`before`: those that were there before the study. Files of the study's own folder are part of its code."""

    def __init__(self, study: Study, before: Set[str]) -> None:
        self._folder = str(study.origin.parent) if study.origin else None
        self._known = set(before)
        self._said: set[Loaded] = set()

    def since(self) -> tuple[Loaded, ...]:
        """Those that have come since the last time."""
        if len(sys.modules) == len(self._known):
            return ()
        names = [name for name in list(sys.modules) if name not in self._known]
        self._known |= set(sys.modules)
        found = [each for name in names for each in self._of(name) if each not in self._said]
        self._said.update(found)
        return tuple(dict.fromkeys(found))

    def _of(self, name: str) -> Iterator[Loaded]:
        file = getattr(sys.modules.get(name), "__file__", None)
        top = name.partition(".")[0]
        if not isinstance(file, str) or top in sys.stdlib_module_names or top in _NEVER:
            return
        path = Path(file)
        if any(part in _INSTALLED for part in path.parts):
            if not top.startswith("__editable__"):
                yield Loaded(PYTHON, top, "", "")
        elif not file.startswith((*_STANDARD, _OWN)) and not (self._folder and path.is_relative_to(self._folder)):
            yield Loaded(FILE, top, "", str(path.resolve()))
