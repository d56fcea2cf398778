"""Languages by their ids: a module beside this file, or one in a folder that a person has named."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

from statsclaw.languages.language import Language
from statsclaw.profiles.profile import BUILT_IN, language_folders


@cache
def language(id: str) -> Language | None:
    """None where only commands of a profile are known, so that packages are built and tested, but not asked."""
    name = f"{__package__}.{id}"
    if id in BUILT_IN:
        own: Language | None = importlib.import_module(name).LANGUAGE if importlib.util.find_spec(name) else None
        return own
    for folder in language_folders():
        path = folder / f"{id}.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location(f"statsclaw_language_{id}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found: Language = module.LANGUAGE
            return found
    return None


def spoken(id: str) -> Language:
    """Of a package that is asked."""
    found = language(id)
    assert found is not None, id
    return found


def can_be_asked(id: str) -> bool:
    return language(id) is not None
