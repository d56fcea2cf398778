"""Imports the package that is installed, and asks R for it."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, got, trying  # type: ignore[import-not-found]

for folder in KNOWN["import_paths"]:
    sys.path.insert(0, folder)
with trying("import"):
    import tinymean  # type: ignore[import-not-found]

    got(tinymean.__doc__)
with trying("single module"):
    import tinymedian  # type: ignore[import-not-found]

    got(tinymedian.__doc__)
