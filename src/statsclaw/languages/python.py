"""Python: the worker imports the package and looks at it itself."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from statsclaw.languages.language import Language, Native, Places, Worker


class Python(Language):
    id = "python"
    native = Native("native_python.py", "tests/validation/test_validation.py", "tests/validation/questions.json")
    is_python = True
    traces = True

    def worker(self, at: Places) -> Worker:
        return Worker((at.python, "-I", "-B", f"{at.scripts}/worker.py"))

    def literal(self, text: str) -> tuple[Any, ...]:
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return ()
        return (found,) if isinstance(found, int | float | str | None) else ()

    def imported_names(self, sources: Collection[str], names: Collection[str]) -> Collection[str]:
        """The distribution may have another name, and packages may lie in any folder."""
        folders = {path.removesuffix("/__init__.py") for path in sources if path.endswith("/__init__.py")}
        return {place.rpartition("/")[2] for place in folders if place.rpartition("/")[0] not in folders}


LANGUAGE = Python()
