"""A real language model, small enough for a test: that requests and answers get through is shown, no wit.

with serving(installed()) as model:
    ...                          # model.url speaks OpenAI's chat format
    model.counted()              # what the server itself says it read and wrote
"""

from tests.agents.small_model.server import NotInstalled, SmallModel, installed, serving

__all__ = ["NotInstalled", "SmallModel", "installed", "serving"]
