"""Every command: its name, where its function is, and its line in the help. Nothing of a command is imported before
it is called: most of the time of a short one would go into imports that only others need.
"""

from __future__ import annotations

from dataclasses import dataclass

WORK, PEOPLE, LOOK = "Work", "Take part", "Look"


@dataclass(frozen=True, slots=True)
class Entry:
    """`place`: module below `statsclaw.ui` and name in it, of a function or of a group of commands."""

    name: str
    place: str
    panel: str | None
    help: str


COMMANDS = (
    Entry("setup", "setup_commands:setup", WORK,
          "First use: find agents and models, try them, and write down who plays which role."),
    Entry("run", "run_commands:run", WORK,
          "Take a directive from words to a verified, documented and (if you say so) shipped change."),
    Entry("resume", "run_commands:resume", WORK,
          "Go on with a run that was interrupted, or that waited for a person."),
    Entry("replay", "replay_commands:replay", WORK,
          "Run a recorded run again: the roles answer from the recording, every build, test and gate is live."),
    Entry("twin", "twin_commands:twin", WORK,
          "The contract of a finished run for a package in another language: the same questions, a new builder."),
    Entry("demo", "run_commands:demo", WORK,
          "Minutes without a model: recorded roles, everything else live, on a package made for it."),
    Entry("record", "replay_commands:record", WORK,
          "Copy a run as a recording that can be replayed anywhere: its log and everything the log names."),
    Entry("mc", "groups:mc_app", WORK,
          "Monte Carlo studies: run, look at, judge. Start with: statsclaw mc new"),
    Entry("answer", "person_commands:answer", PEOPLE,
          "Answer a question of a run, now or next week, whether or not the run is alive."),
    Entry("done", "person_commands:done", PEOPLE,
          "Hand in what you did as a role. Nothing is handed in before it is complete."),
    Entry("lint", "lint_commands:lint", PEOPLE,
          "Check work before it is handed in: all findings, with the file and line that you wrote."),
    Entry("review-comprehension", "contract_commands:review_comprehension", PEOPLE,
          "What the planner understood: equations, symbols, choices, both readings, and who approved it."),
    Entry("amend", "contract_commands:amend", PEOPLE,
          "Change a frozen criterion, tolerance, seed or grid. The log keeps both versions; the review always shows it."
          ),
    Entry("override", "contract_commands:override_finding", PEOPLE,
          "Let a finding of the lint, the checks of questions or the review stand. The review shows it for ever."),
    Entry("route", "look_commands:route", LOOK,
          "Show how a directive is read: workflow, confidence, shipping, interval, issue, runner-up. Starts nothing."),
    Entry("sources", "look_commands:sources", LOOK,
          "What a program can read in sources: equations with references, algorithms, tables, criteria, functions."),
    Entry("list", "look_commands:list_runs", LOOK,
          "All runs of the workspace, newest first."),
    Entry("show", "look_commands:show", LOOK,
          "A run as it stands: states, dispatches, questions, evidence, artifacts."),
    Entry("report", "report_commands:report", LOOK,
          "Write about a run: what was built, whether it is right, what was decided, and the evidence."),
    Entry("artifacts", "look_commands:artifacts", LOOK,
          "The documents of a run; with a name, the document itself."),
    Entry("transcript", "look_commands:transcript", LOOK,
          "What a role's backend said while it worked, and how the attempt ended."),
    Entry("cost", "cost_commands:cost", LOOK,
          "Tokens, money and time: of one run by dispatch and role, or of all runs by month."),
    Entry("config", "config_commands:config", LOOK,
          "Who would play each role here, and which file or option says so. Starts nothing."),
    Entry("languages", "language_commands:languages", LOOK,
          "Which languages' packages can be built and judged here, and what is missing."),
    Entry("doctor", "doctor:doctor", LOOK,
          "Check this machine."),
    Entry("prompts", "prompt_commands:app", LOOK,
          "What the roles are told."),
    Entry("log", "groups:log_app", LOOK,
          "Look at and verify the log of a run."),
    Entry("barrier", "barrier_commands:app", LOOK,
          "What kept the roles apart: show it, verify it, attack it."),
)  # fmt: skip

MC_COMMANDS = (
    Entry("new", "mc_commands:new", None,
          "Write a small commented study that runs as it is."),
    Entry("run", "mc_commands:run", None,
          "Run a study, or go on where it stopped."),
    Entry("status", "mc_commands:status", None,
          "How far the study is: replications and failures of every cell, and what a run would do next."),
    Entry("summary", "mc_result_commands:summary", None,
          "The table: every metric with its Monte Carlo standard error, failures, and what is significantly wrong."),
    Entry("compare", "mc_result_commands:compare", None,
          "Methods beside each other: every metric of one minus that of another, with the error of the pairs."),
    Entry("verdict", "mc_result_commands:verdict", None,
          "One word for each criterion, what is significantly wrong, and what the study would not have noticed."),
    Entry("plan", "mc_result_commands:plan", None,
          "Beforehand: what the criteria can and cannot detect at the planned replications."),
    Entry("sbc", "mc_sbc_commands:sbc", None,
          "Are the ranks of the true parameters among the draws uniform? For truths that are drawn from the prior."),
    Entry("export", "mc_export_commands:export", None,
          "Every replication as a tidy table: one row per cell, method, replication and parameter."),
    Entry("figures", "mc_figure_commands:figures", None,
          "Draw every figure the study has data for."),
    Entry("table", "mc_figure_commands:table", None,
          "A table for a paper: metrics of every method and cell, rounded by their Monte Carlo errors."),
    Entry("report", "mc_figure_commands:report", None,
          "All about a study on one HTML page: design, verdicts, table, figures, failures, how to run it again."),
    Entry("failures", "mc_result_commands:failures", None,
          "What failed or gave warnings: texts, methods, cells, how often, and which replications."),
    Entry("replay", "mc_result_commands:replay", None,
          "Run one replication again, alone, and compare it with what was stored."),
)  # fmt: skip

LOG_COMMANDS = (
    Entry("verify", "look_commands:log_verify", None,
          "Verify the chain of hashes; names the first line that was altered, removed or reordered."),
    Entry("show", "look_commands:log_show", None,
          "The log, one event a line, as it stands in the file."),
    Entry("repair", "look_commands:log_repair", None,
          "Go on from the last whole line of a log that was cut; what follows it is kept aside."),
)  # fmt: skip
