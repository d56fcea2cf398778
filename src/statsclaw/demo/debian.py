"""R and what the R demonstration needs, from Debian's packages."""

from __future__ import annotations

import os
import shutil
import subprocess

from rich.console import Console

from statsclaw.errors import MachineRefused

_LIBRARIES = ("covr", "jsonlite", "knitr", "rcpp", "rcpparmadillo", "rmarkdown", "testthat", "withr", "xml2")
PACKAGES = ("r-base-dev", "pandoc", *(f"r-cran-{name}" for name in _LIBRARIES))


def install_debian_r(console: Console) -> None:
    """Nothing where all of it is there already."""
    if shutil.which("apt-get") is None:
        raise MachineRefused(
            "--install-r installs Debian's packages, and there is no apt-get here",
            todo="install R from https://cran.r-project.org, or take the Python one: statsclaw demo probit-python",
        )
    missing = [name for name in PACKAGES if not _is_installed(name)]
    if not missing:
        console.print("R is here already")
        return
    if os.geteuid() != 0:
        raise MachineRefused(
            "installing R needs an administrator",
            todo=f"sudo apt-get install --no-install-recommends {' '.join(missing)}",
        )
    console.print(f"installing {' '.join(missing)} …")
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
        done = subprocess.run(["apt-get", *words], env=env, capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise MachineRefused(f"apt-get {words[0]} failed: {said}", kept="nothing of a run was started")


def _is_installed(name: str) -> bool:
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", name], capture_output=True, text=True)
    return asked.returncode == 0 and asked.stdout == "installed"
