"""From a directive to a run: everything that can be refused is refused here, before anything is started."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from statsclaw import __version__
from statsclaw.backends.registry import check_backend_name
from statsclaw.engine.plan import cannot_be_judged, has_contract, plan_for
from statsclaw.engine.run import LocalFacts
from statsclaw.engine.tools import absent_requirements, how_to_get, missing_programs, package_in
from statsclaw.errors import InputRefused, MachineRefused, one_of
from statsclaw.intake.project import profile_settings
from statsclaw.intake.routing import Routing, route
from statsclaw.intake.target import PushAccess, Target, fetch_target, only_folder, verify_push_access
from statsclaw.intake.workflow import Workflow, workflow
from statsclaw.languages import can_be_asked, language
from statsclaw.profiles.detect import ROOT, detect_profile
from statsclaw.profiles.profile import Package, Profile, all_profiles, load_profile, profile_ids, with_overrides
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import (
    BudgetSet,
    Credentials,
    Event,
    ModelReading,
    RoutingChoice,
    RunCreated,
    Source,
    StudyShortened,
)
from statsclaw.runlog.log import Clock, RunLog, utc_now
from statsclaw.runlog.store import ContentStore, cannot_write, machine_errors, sha256, write_durably
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.importer import name_problem, printable
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.outward import Registry
from statsclaw.sandbox.toolchain import check_apart, system, with_paths
from statsclaw.sandbox.tree import TargetRepo
from statsclaw.sources.extract import extract
from statsclaw.verify.interpreter import GET_IT
from statsclaw.workspace.layout import RunFolder, Workspace
from statsclaw.workspace.scrub import display_remote

_LONGEST_DIRECTIVE = 100_000
_LARGEST_SOURCE = 50 * 1024 * 1024
_MOST_FILES = 2000
#: The workflow that changes nothing, so that it can take a folder of a repository for a whole one.
_CHECKS_ONLY = "validate"


@dataclass(frozen=True)
class Order:
    """What a person typed."""

    directive: str
    target: str
    name: str | None = None
    identity: str | None = None
    sources: tuple[Path, ...] = ()
    workflow: str | None = None
    profile: str | None = None
    backends: Mapping[str, str] = field(default_factory=dict)
    ship: bool = False
    local_only: bool = False
    ignore_dirty: bool = False
    pass_env: tuple[str, ...] = ()
    python: str | None = None
    barrier: str = "bubblewrap"
    tools: tuple[Path, ...] = ()
    endpoints: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    reveal: bool = False
    workers: int | None = None
    recording: Path | None = None
    replay_of: str | None = None
    canary_seed: str = ""
    second_reading: bool = True
    replications: int | None = None
    budgets: tuple[BudgetSet, ...] = ()
    #: What a person has decided before there was this run.
    decided: tuple[Event, ...] = ()
    run_id: str | None = None
    by_model: ModelReading | None = None
    #: The person has seen how the router reads the directive, or takes it unseen (`--yes`).
    accepted: bool = False


def chosen_workflow(order: Order, routing: Routing) -> str | None:
    """As the person named or accepted it, else as a model reads it. None: a person is asked."""
    if order.workflow:
        return order.workflow
    if order.accepted and routing.ask is None:
        return routing.workflow
    return order.by_model.workflow if order.by_model else None


@dataclass(frozen=True)
class _Request:
    """The order, read and found to be something that can be done."""

    directive: str
    sources: tuple[tuple[str, bytes], ...]
    routing: Routing
    workflow: str | None


@dataclass(frozen=True)
class _Examined:
    """The target, fetched and found to be something that can be worked on."""

    name: str
    target: Target
    access: PushAccess
    profile: str | None
    candidates: tuple[str, ...]


def start_run(
    workspace: Workspace, order: Order, scrub: Callable[[str], str], clock: Clock = utc_now
) -> tuple[RunFolder, RunLog, LocalFacts]:
    """Check everything, then create the run's folder and the first line of its log."""
    with machine_errors(workspace.root):
        with nothing_started():
            request = _check(order)
        shown = with_paths(system(), [path.resolve() for path in order.tools], "toolchain")
        check_apart(shown, [workspace.root], "keep the workspace apart from tools (`--workspace`)")
        workspace.ensure()
        with tempfile.TemporaryDirectory(prefix="statsclaw-target-", dir=_scratch(workspace)) as scratch:
            with nothing_started():
                examined = _examine(order, Path(scratch) / "target.git", request.workflow)
                _check_language(request.workflow, examined.profile)
            folder = _new_folder(workspace, order, examined)
            log = RunLog.create(folder.path, clock=clock)
            try:
                shutil.move(str(examined.target.git_dir), folder.target)
                local = _local_facts(order, examined.target)
                write_durably(folder.local, local.model_dump_json().encode())
                log.append(_created(folder, order, request, examined, scrub))
                for event in (*order.decided, *order.budgets):
                    log.append(event)
                if order.replications is not None:
                    log.append(StudyShortened(replications=order.replications))
            except BaseException:
                log.close()
                raise
        return folder, log, local


@contextmanager
def nothing_started() -> Iterator[None]:
    """Whatever is refused in here was refused before there was a run, and the person is told so."""
    try:
        yield
    except (InputRefused, MachineRefused) as refusal:
        refusal.kept = refusal.kept or "Nothing was started"
        raise


def _check(order: Order) -> _Request:
    directive = clean_directive(order.directive)
    sources = tuple(row for path in order.sources for row in _read_sources(path))
    if len({name for name, _ in sources}) != len(sources):
        raise InputRefused("two sources have the same file name", kept="Nothing was started", todo="rename one")
    check_backends(order.backends)
    if order.python and shutil.which(order.python) is None:
        raise InputRefused(f"there is no interpreter {order.python!r}", kept="Nothing was started")
    make_barrier(order.barrier)
    for path in order.tools:
        if not path.exists():
            raise InputRefused(f"--tool {path} is not there", kept="Nothing was started")
    try:
        Registry([name for name in order.registries if name != "default"])
    except ValueError as error:
        raise InputRefused(str(error), kept="Nothing was started", todo="name a host such as pypi.org") from None
    routing = route(directive)
    chosen = chosen_workflow(order, routing)
    if chosen is not None:
        _check_cast((chosen,), order.backends, second_reading=order.second_reading)
    elif routing.ask != "unclear" or not order.backends:
        readings = [name for name in (routing.workflow, routing.runner_up) if name and not workflow(name).repeats]
        _check_cast(readings, order.backends, second_reading=order.second_reading)
    return _Request(directive, sources, routing, chosen)


def _examine(order: Order, git_dir: Path, chosen: str | None) -> _Examined:
    target = fetch_target(order.target, git_dir, ignore_dirty=order.ignore_dirty)
    folder = _folder_to_check(order, target) if chosen == _CHECKS_ONLY else ROOT
    if folder == ROOT:
        access = _access(target, order)
    else:
        target = only_folder(target, folder)
        access = PushAccess(
            "not tried", False, f"the folder {folder} is checked as a package of its own; nothing is shipped"
        )
    if order.ship and not access.can_ship:
        raise InputRefused(
            f"--ship was asked for, but {access.detail}",
            kept="Nothing was started",
            todo="add a remote, or drop --ship",
        )
    repo = TargetRepo(target.git_dir, target.base_commit)
    for path in repo.files:
        if problem := name_problem(path, Limits(path_length=4000)):
            raise InputRefused(f"the target has a file {printable(path)!r}: {problem}", kept="Nothing was started")
    found = detect_profile(set(repo.files))
    profile = load_profile(order.profile).id if order.profile else found.profile_id
    settings = with_overrides(load_profile(profile or "python"), profile_settings(repo))  # refuse bad settings now
    if profile is not None and chosen != _CHECKS_ONLY:
        _check_toolchain(settings, package_in(repo), order, chosen)
    return _Examined(order.name or target.name, target, access, profile, found.candidates)


def _folder_to_check(order: Order, target: Target) -> str:
    """Where the package is: the folder that was named, the root, or the only folder with a package below it."""
    repo = TargetRepo(target.git_dir, target.base_commit)
    below = f"{target.folder}/" if target.folder else ""
    paths = {path.removeprefix(below) for path in repo.files if path.startswith(below)}
    if not below and profile_settings(repo):
        return ROOT  # the project says itself what is to be run
    found = detect_profile(paths, order.profile)
    if found.profile_id is not None:
        return (PurePosixPath(below) / found.root).as_posix()
    folders = sorted({PurePosixPath(path).parent.as_posix() for path in found.found})
    if not found.found and order.profile is None:
        raise _unknown_language(bool(paths))
    if len(folders) > 1 and ROOT not in folders:
        raise InputRefused(
            f"there is more than one package: {', '.join(found.found)}",
            todo=f"name the folder of one: --target {order.target.rstrip('/')}/{folders[0]}",
        )
    return target.folder or ROOT


def _unknown_language(has_files: bool) -> InputRefused:
    if not has_files:
        return InputRefused("the target has no files in its last commit", todo="commit the package first")
    markers = dict.fromkeys(profile.markers[0].file for profile in all_profiles())
    own = '{ name = "test", argv = ["make", "test"], parser = "exit", timeout_s = 600 }'
    return InputRefused(
        f"no package of a known language was found (looked for {', '.join(markers)} and others)",
        todo=f"pass --profile with one of {', '.join(profile_ids())}, and for commands of your own commit a file "
        f"statsclaw.toml with the line: profile = {{ build = [], unit_tests = [], checks = [{own}] }}",
    )


def _local_facts(order: Order, target: Target) -> LocalFacts:
    return LocalFacts(
        remote_url=target.remote_url,
        base_branch=target.base_branch,
        author=target.author,
        backends=dict(order.backends),
        pass_env=order.pass_env,
        python=order.python,
        barrier=order.barrier,
        tools=tuple(str(path.resolve()) for path in order.tools),
        hidden=target.local_folders,
        endpoints=order.endpoints,
        registries=order.registries,
        reveal=order.reveal,
        workers=order.workers,
        recording=str(order.recording.resolve()) if order.recording else None,
    )


def _created(
    folder: RunFolder, order: Order, request: _Request, examined: _Examined, scrub: Callable[[str], str]
) -> RunCreated:
    store, handoff = ContentStore(folder.store), folder.repository / "HANDOFF.md"
    remote = examined.target.remote_url
    return RunCreated(
        run_id=folder.id,
        statsclaw_version=__version__,
        directive=scrub(request.directive),
        target=examined.name,
        base_commit=examined.target.base_commit,
        profile=examined.profile,
        profile_candidates=examined.candidates,
        workflow=request.workflow,
        credentials=Credentials(
            remote=display_remote(remote) if remote else None,
            how=examined.access.how,
            can_ship=examined.access.can_ship,
            detail=scrub(examined.access.detail),
        ),
        routing=_choice(request.routing, order) if order.by_model or not order.workflow else None,
        ship_requested=order.ship or request.routing.ship,
        ship_refused=request.routing.ship_refused and not order.ship,
        local_only=order.local_only,
        issue=request.routing.issue,
        sources=(
            *(Source(name=name, sha256=store.put(data)) for name, data in request.sources),
            *(Source(name=name, sha256=store.put(data), derived_from=of) for name, data, of in _derived(request)),
        ),
        backends={role: name.split(":")[0] for role, name in order.backends.items()},
        replay_of=order.replay_of,
        previous_handoff_sha256=store.put(handoff.read_bytes()) if handoff.is_file() else None,
        barrier=order.barrier,
        canary_seed=order.canary_seed or secrets.token_hex(16),
        network=order.network,
        second_reading=order.second_reading,
    )


def _derived(request: _Request) -> Iterator[tuple[str, bytes, str]]:
    """Of a PDF: its text and the images of its pages, which are what a formula can be read from."""
    taken = {name for name, _ in request.sources}
    for name, data in request.sources:
        if name.lower().endswith(".pdf"):
            found = extract(name, data)
            made = {f"{name}.txt": found.text.encode()} if found.text.strip() else {}
            for part, content in {**made, **found.images}.items():
                if part not in taken and not name_problem(part, Limits()):
                    yield part, content, name


def clean_directive(text: str) -> str:
    """The directive without what a terminal would obey; refused when there is nothing in it."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    text = "".join(_kept(c) for c in text).strip()
    if not text:
        raise InputRefused("the directive is empty", kept="Nothing was started", todo='say what to do, e.g. "fix …"')
    if len(text) > _LONGEST_DIRECTIVE:
        raise InputRefused(
            f"the directive is longer than {_LONGEST_DIRECTIVE:,} characters",
            kept="Nothing was started",
            todo="pass long material as --source FILE",
        )
    return text


def _kept(c: str) -> str:
    """A character of a directive: letters and joiners stay, every kind of blank is a blank, the rest goes."""
    if c.isprintable() or c in "\n\t\u200c\u200d":
        return c
    return " " if c.isspace() or unicodedata.category(c) == "Cc" else ""


def _read_sources(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file, or the files of a folder such as a repository, hidden ones and empty ones left out."""
    if not path.is_dir():
        yield path.name, _read_source(path)
        return
    top = path.resolve()
    files = [part for part in sorted(top.rglob("*")) if part.is_file() and not part.is_symlink()]
    files = [part for part in files if not any(name.startswith(".") for name in part.relative_to(top).parts)]
    if not files:
        raise InputRefused(f"source {path} is a folder without a file", kept="Nothing was started")
    if len(files) > _MOST_FILES or sum(part.stat().st_size for part in files) > _LARGEST_SOURCE:
        raise InputRefused(
            f"source {path} has more than {_MOST_FILES:,} files or 50 MiB",
            kept="Nothing was started",
            todo="name the folder with the code",
        )
    for part in files:
        if part.stat().st_size:
            yield f"{top.name}/{part.relative_to(top).as_posix()}", _read_source(part)


def _read_source(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise InputRefused(f"source {path} is not a file", kept="Nothing was started")
        if path.stat().st_size > _LARGEST_SOURCE:
            raise InputRefused(f"source {path.name} is larger than 50 MiB", kept="Nothing was started")
        data = path.read_bytes()
    except OSError as error:
        raise InputRefused(f"source {path} cannot be read: {error.strerror}", kept="Nothing was started") from None
    if not data:
        raise InputRefused(f"source {path.name} is empty", kept="Nothing was started")
    if name_problem(path.name, Limits()):
        raise InputRefused(f"source {path.name} has a name that cannot be kept", todo="rename it")
    return data


def check_backends(backends: Mapping[str, str]) -> None:
    for role, name in backends.items():
        if role != "*" and role not in [*Role]:
            raise InputRefused(f"there is no role {role!r}", todo=one_of(role, Role))
        check_backend_name(name)


def _check_cast(readings: Sequence[str], backends: Mapping[str, str], *, second_reading: bool = True) -> None:
    """Somebody must play every role that is not optional, in one of the workflows that may be meant at least."""
    absent = {name: _absent(workflow(name), backends, second_reading=second_reading) for name in readings}
    if absent and all(absent.values()):
        name, roles = next(iter(absent.items()))
        raise InputRefused(
            f"nobody plays the {', '.join(roles)} of workflow {name}",
            kept="Nothing was started",
            todo="`statsclaw setup` (finds and configures agents) or `--backend human` (you play the roles yourself)",
        )


def _absent(found: Workflow, backends: Mapping[str, str], *, second_reading: bool) -> list[Role]:
    if found.repeats:
        raise InputRefused(
            f"{found.id} repeats other workflows and is not a run of its own", kept="Nothing was started"
        )
    needed = [r for r in found.roles if r not in found.optional and (second_reading or r is not Role.READER)]
    return [r for r in needed if r not in backends and "*" not in backends]


def _check_language(chosen: str | None, profile: str | None) -> None:
    """Refused before anything is started where both are known; otherwise the gate asks once they are."""
    if chosen is not None and profile is not None and (why := cannot_be_judged(chosen, profile)):
        known = ", ".join(filter(can_be_asked, profile_ids()))
        raise InputRefused(
            why,
            kept="Nothing was started",
            todo=f"it works for {known}; for others use --workflow quick-fix or validate",
        )


def _check_toolchain(profile: Profile, package: Package, order: Order, chosen: str | None) -> None:
    """No role can be blamed for a program that is not there."""
    commands = (*profile.checks, *profile.unit_tests)
    further = profile.needed(commands, package, registry=bool(order.registries))
    if chosen is not None and has_contract(plan_for(workflow(chosen))) and (asked := language(profile.id)):
        further += asked.needs
    else:
        further += profile.needed(profile.validation, package, registry=bool(order.registries))
    built = profile.needed(profile.build, package, registry=bool(order.registries))
    for programs, what in ((built, "built"), (further, "checked")):
        tools = [path.resolve() for path in order.tools]
        if absent := missing_programs(profile, dict.fromkeys(programs), order.python, tools):
            raise MachineRefused(
                f"{profile.name} packages cannot be {what} here: {', '.join(absent)} not found",
                todo=how_to_get(profile, absent),
            )
    if order.python is None and not order.registries and (wanting := absent_requirements(profile, package)):
        raise MachineRefused(
            f"the package needs {', '.join(wanting)}, which is not installed beside StatsClaw", todo=GET_IT
        )


def _access(target: Target, order: Order) -> PushAccess:
    if order.local_only:
        return PushAccess("not tried", False, "local only, as asked: nothing will be shipped")
    return verify_push_access(target)


def _scratch(workspace: Workspace) -> Path:
    folder = workspace.root / ".tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(workspace.root, error) from error
    return folder


def _new_folder(workspace: Workspace, order: Order, examined: _Examined) -> RunFolder:
    target = examined.target
    identity = order.identity or sha256((target.remote_url or target.origin).encode())[:16]
    home = workspace.repository(examined.name, identity)
    stem = re.sub(r"[^a-z0-9]+", "-", examined.name.lower()).strip("-")[:24] or "run"
    while True:
        folder = home / "runs" / (order.run_id or f"{stem}-{secrets.token_hex(2)}")
        if order.run_id or not folder.exists():
            return RunFolder(folder)


def _choice(routing: Routing, order: Order) -> RoutingChoice:
    return RoutingChoice(
        workflow=routing.workflow,
        confidence=routing.confidence,
        runner_up=routing.runner_up,
        runner_up_confidence=routing.runner_up_confidence,
        ask=routing.ask or (None if order.accepted else "unseen"),
        by_model=order.by_model,
    )
