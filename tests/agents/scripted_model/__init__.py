"""A model that says what a script tells it to, on a real socket, in the wire formats of four providers.

    def script(talk):
        yield Shell("ls ../in")
        assert "spec.md" in talk.last          # what the tool gave back
        yield Write("../out/notes.md", "# Notes\\n")
        yield Say("done")

    with ScriptedModel(script) as model:
        ...                                    # point an agent at model.url
    assert model.asked[0].tools                # what the agent sent

It is a stand-in for a model's answers and for nothing else: the agent programs, their tools and the network are real.
"""

from tests.agents.scripted_model.acts import Act, Break, Fail, Refuse, Say, Shell, Stall, Use, Write
from tests.agents.scripted_model.asked import Asked, Talk, written_by_shell
from tests.agents.scripted_model.server import ScriptedModel

__all__ = [
    "Act",
    "Asked",
    "Break",
    "Fail",
    "Refuse",
    "Say",
    "ScriptedModel",
    "Shell",
    "Stall",
    "Talk",
    "Use",
    "Write",
    "written_by_shell",
]
