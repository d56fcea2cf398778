"""The wire formats: how a request is read and how an act is answered in each."""

from tests.agents.scripted_model.wires import anthropic, chat, gemini, responses

WIRES = (anthropic, responses, chat, gemini)
