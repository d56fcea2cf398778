"""Templates of the documents that intake writes, and the risks it can see from the file list."""

from __future__ import annotations

from collections.abc import Collection

from statsclaw.profiles.profile import PathClass, Profile


def risks_of(profile: Profile, paths: Collection[str]) -> list[str]:
    """What the list of files says about what could go wrong."""
    classes = {profile.classify(path) for path in paths}
    risks = []
    if not paths:
        risks.append("The repository is empty: there is nothing to compare the result with.")
    if paths and PathClass.UNIT_TESTS not in classes:
        risks.append("The package has no tests of its own: a change of existing behaviour would go unnoticed.")
    if PathClass.VALIDATION not in classes:
        risks.append("There is no validation suite yet: every criterion of this run is new.")
    if any(path.endswith((".c", ".cc", ".cpp", ".f", ".f90", ".rs")) for path in paths):
        risks.append("Compiled code: results can differ between machines and compilers.")
    return risks or ["None that the list of files shows."]
