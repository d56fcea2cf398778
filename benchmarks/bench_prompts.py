"""Tokens of the instructions per workflow, and the workspace with two hundred runs.

Run: python benchmarks/bench_prompts.py
"""

from __future__ import annotations

from statsclaw.intake.workflow import all_workflows
from statsclaw.profiles.profile import PROFILE_IDS
from statsclaw.ui.prompt_commands import instruction_tokens

#: Instructions of the prompt-based system for a full run, as counted on its public files.
PROMPT_BASED_FULL = 121_000


def main() -> None:
    for workflow in all_workflows():
        most = max(sum(instruction_tokens(workflow, profile).values()) for profile in PROFILE_IDS)
        print(f"instruction_tokens_{workflow}: {most}")
    full = max(sum(instruction_tokens("full", profile).values()) for profile in PROFILE_IDS)
    print(f"ratio_of_prompt_based_system_full: {PROMPT_BASED_FULL / full:.1f}")


if __name__ == "__main__":
    main()
