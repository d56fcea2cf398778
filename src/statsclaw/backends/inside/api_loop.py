"""A small agent on a bare API: four tools, one conversation. Runs inside the sandbox, in the repository.

    python api_loop.py PROVIDER MODEL CONVERSATION < message

The conversation is kept in the home folder under the name given last, step by step, and gone on with if it is there.
Every event is a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from pydantic_ai.usage import UsageLimits

LONGEST = 30_000
MOST_REQUESTS = 300
RETRIES = 2
INSTRUCTIONS = Path(__file__).with_name("instructions.md").read_text(encoding="utf-8")


def model_of(provider: str, name: str) -> Model:
    """Each provider's own client, pointed at the bridge by the variables it reads."""
    if provider == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=AsyncAnthropic(max_retries=RETRIES)))
    if provider == "google":
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        patient = HttpOptions(
            base_url=os.environ["GOOGLE_GEMINI_BASE_URL"], retry_options=HttpRetryOptions(attempts=1 + RETRIES)
        )
        client = Client(api_key=os.environ["GEMINI_API_KEY"], http_options=patient)
        return GoogleModel(name, provider=GoogleProvider(client=client))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    kind = OpenAIResponsesModel if provider == "openai" else OpenAIChatModel
    return kind(name, provider=OpenAIProvider(openai_client=AsyncOpenAI(max_retries=RETRIES)))


def tell(kind: str, **facts: Any) -> None:
    print(json.dumps({"type": kind, **facts}, ensure_ascii=False), flush=True)


def shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n… {len(text) - LONGEST} characters left out …\n{text[-half:]}"


def run(command: str, timeout_s: float = 600) -> str:
    """Execute a shell command in the repository; gives its output and exit status."""
    tell("tool", name="run", command=command[:2000])
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, timeout=min(timeout_s, 3600)
        )
    except subprocess.TimeoutExpired:
        raise ModelRetry(f"the command took longer than {timeout_s} s and was ended") from None
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    return f"{shortened(text)}\n[exit status {done.returncode}]"


def read(path: str, first_line: int = 1, lines: int = 2000) -> str:
    """Lines of a text file."""
    tell("tool", name="read", path=path)
    try:
        rows = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ModelRetry(f"{path}: {error.strerror}") from None
    return shortened("\n".join(rows[first_line - 1 : first_line - 1 + lines]))


def write(path: str, content: str) -> str:
    """Write a whole file; folders are made."""
    tell("tool", name="write", path=path)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, encoding="utf-8")
    except OSError as error:
        raise ModelRetry(f"{path}: {error.strerror}") from None
    return f"{path}: {len(content)} characters written"


def edit(path: str, old: str, new: str) -> str:
    """Replace a text that stands in the file exactly once."""
    tell("tool", name="edit", path=path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ModelRetry(f"{path} cannot be read: {error}") from None
    if text.count(old) != 1:
        raise ModelRetry(f"that text stands in {path} {text.count(old)} times, not once")
    return write(path, text.replace(old, new))


def earlier_messages(conversation: Path) -> list[ModelMessage]:
    """Up to the last answer of which every call was carried out."""
    found = ModelMessagesTypeAdapter.validate_json(conversation.read_bytes()) if conversation.is_file() else []
    while found and isinstance(found[-1], ModelResponse) and found[-1].tool_calls:
        found.pop()
    return found


def keep(messages: bytes, conversation: Path) -> None:
    fresh = conversation.with_suffix(".new")
    fresh.write_bytes(messages)
    fresh.replace(conversation)


async def talk(agent: Agent, message: str, conversation: Path) -> AgentRunResult[str]:
    """One turn of the conversation, kept after every step: whoever ends it in the middle has lost no more than one."""
    limits = UsageLimits(request_limit=MOST_REQUESTS)
    async with agent.iter(message, message_history=earlier_messages(conversation), usage_limits=limits) as steps:
        try:
            async for _ in steps:
                keep(steps.all_messages_json(), conversation)
        finally:  # with what the tools gave back before a request that was not answered
            keep(steps.all_messages_json(), conversation)
    assert steps.result is not None
    return steps.result


def main() -> int:
    provider, name, kept = sys.argv[1:4]
    conversation = Path.home() / kept
    agent = Agent(model_of(provider, name), instructions=INSTRUCTIONS, tools=[run, read, write, edit], retries=3)
    tell("started")
    try:
        done = asyncio.run(talk(agent, sys.stdin.read(), conversation))
    except ModelHTTPError as error:
        tell("failed", reason=f"HTTP {error.status_code} {json.dumps(error.body, default=str)}"[:1000])
        return 1
    except AgentRunError as error:
        tell("failed", reason=f"{type(error).__name__}: {error.message}"[:1000])  # without the body of the answer
        return 1
    except Exception as error:  # clients raise their own for a broken connection
        tell("failed", reason=f"{type(error).__name__}: {error}"[:1000])
        return 1
    if getattr(done.all_messages()[-1], "finish_reason", None) == "content_filter":
        tell("failed", reason=f"the model refused: {done.output}"[:1000])
        return 1
    used = done.usage
    tell(
        "result",
        said=str(done.output),
        input_tokens=used.input_tokens,
        cached_tokens=used.cache_read_tokens,
        output_tokens=used.output_tokens,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
