"""How families of models and their servers say the same content: one manner each, after vendors' documents and issues.

A manner gets the exchange and what is to be said: the text of the answer, or the value that it holds.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from wire import families
from wire.families import parameters, reject
from wire.server import Behaviour, Exchange

TOLD = "the one JSON value that was asked for"


class Content(NamedTuple):
    """What a model means: a value, and how it says that in loose words and in those of the post; or prose."""

    value: Any = None
    loose: Any = None
    local: Any = None
    opposite: Any = None
    prose: str = ""

    @property
    def text(self) -> str:
        """The answer as it was asked for."""
        return self.prose or said(self.value)

    @property
    def draft(self) -> str:
        """A thought that comes to the opposite."""
        draft = "At first sight it is harmless." if self.prose else f"Perhaps {said(self.opposite)}?"
        return f"Let me see. {draft} But no, on second thoughts."


Manner = Callable[[Exchange, Content], None]


def said(value: Any) -> str:
    """Return the value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def send(exchange: Exchange, text: str | None, **message: Any) -> None:
    """Answer with this text and further fields of the message."""
    body = exchange.reply(text)
    if message:
        chosen = (body.get("output") or body)["choices"][0]
        chosen["message"] = {"role": "assistant", "content": text, **message}
    exchange.send(200, body)


def is_told(exchange: Exchange) -> bool:
    """Return whether the question says once more in which form it wants its answer."""
    return TOLD in exchange.heard.said()


def kind_of_format(exchange: Exchange) -> str:
    """Return how JSON was asked for: json_schema, json_object, or empty."""
    return str((parameters(exchange).get("response_format") or {}).get("type", ""))


def worded(form: str) -> Manner:
    """Say the answer inside these words."""
    return lambda exchange, content: send(
        exchange, form.replace("{draft}", content.draft).replace("{answer}", content.text)
    )


def for_json(form: Callable[[Content], str], *, until_told: bool = False) -> Manner:
    """Say a value so, and prose as it is; some only until they are told the form once more."""

    def manner(exchange: Exchange, content: Content) -> None:
        is_plain = content.prose or (until_told and is_told(exchange))
        send(exchange, content.text if is_plain else form(content))

    return manner


def refusing(
    is_refused: Callable[[Exchange], bool], body: Any, status: int = 400, then: Manner | None = None
) -> Manner:
    """Refuse such requests with this body, and answer all others."""

    def manner(exchange: Exchange, content: Content) -> None:
        if is_refused(exchange):
            return exchange.send(status, body)
        return (then or worded("{answer}"))(exchange, content)

    return manner


def gpt5(exchange: Exchange, content: Content) -> None:
    """Take no temperature and no max_tokens, and think first, with an empty answer where that takes all room."""
    sent = parameters(exchange)
    if "max_tokens" in sent:
        sentence = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        return reject(exchange, "unsupported_parameter", sentence, "max_tokens")
    if sent.get("temperature", 1) != 1:
        return reject(exchange, "unsupported_value", "Unsupported value: 'temperature'. Only 1.", "temperature")
    if sent["max_completion_tokens"] < 2000:
        return exchange.send(200, exchange.reply("", finish="length", thought=sent["max_completion_tokens"]))
    return exchange.send(200, exchange.reply(content.text, thought=900))


def mistral(exchange: Exchange, content: Content) -> None:
    """Reject what its validator does not know, and answer in parts, the thoughts first."""
    if "seed" in parameters(exchange):
        return reject(exchange, "", "[{'type': 'extra_forbidden', 'loc': ('body', 'seed')}]", status=422)
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": content.draft}]}
    half = len(content.text) // 2
    parts = [{"type": "text", "text": part} for part in (content.text[:half], content.text[half:])]
    return send(exchange, None, content=[thinking, *parts])


def cut(exchange: Exchange, content: Content) -> None:
    """Stop in the middle unless there is twice the usual room."""
    limit = parameters(exchange).get("max_tokens", 0)
    if limit < 2 * USUAL_ROOM:
        return exchange.send(200, exchange.reply(content.text[: len(content.text) // 2], finish="length"))
    return send(exchange, content.text)


USUAL_ROOM = 1500


def router() -> Manner:
    """Put a passing fault into one answer of sixty, with status 200."""
    failed: set[str] = set()

    def manner(exchange: Exchange, content: Content) -> None:
        question = exchange.heard.digest
        if int(question, 16) % 60 or question in failed:
            return send(exchange, content.text)
        failed.add(question)
        return exchange.send(200, {"error": {"code": 502, "message": "Upstream idle timeout exceeded"}})

    return manner


def call(exchange: Exchange, content: Content) -> None:
    """Call a tool that nobody offered; prose is said as usual."""
    if content.prose:
        return send(exchange, content.text)
    called = {"id": "call_1", "type": "function", "function": {"name": "answer", "arguments": content.text}}
    return send(exchange, None, tool_calls=[called])


def old_call(exchange: Exchange, content: Content) -> None:
    """Call a function as before there were tools, with words before it."""
    if content.prose:
        return send(exchange, content.text)
    return send(exchange, "I call the function.", function_call={"name": "answer", "arguments": content.text})


def thought_alone(exchange: Exchange, content: Content) -> None:
    """Put the value where thoughts belong, as LM Studio does with a schema."""
    if content.prose:
        return send(exchange, content.text, reasoning_content=content.draft)
    return send(exchange, "", reasoning_content=content.text)


def old_completion(exchange: Exchange, content: Content) -> None:
    """Answer by the old protocol of each vendor."""
    if exchange.speaks_openai:
        return exchange.send(200, {"choices": [{"index": 0, "text": content.text, "finish_reason": "stop"}]})
    return exchange.send(200, {"output": {"text": content.text, "finish_reason": "stop"}})


def stream(exchange: Exchange, content: Content) -> None:
    """Send events that nobody asked for."""
    families.stream(exchange, content.text)


def stream_of_all(exchange: Exchange, content: Content) -> None:
    """Send events that hold all that was said so far, and only on demand."""
    if exchange.heard.headers.get("x-dashscope-sse") != "enable":
        return reject(exchange, "InvalidParameter", "This model only support stream mode, please enable the stream.")
    ends = [*range(20, len(content.text), 20), len(content.text)]
    events = [exchange.reply(content.text[:end], finish="null") for end in ends] + [exchange.reply(content.text)]
    data = "".join(f"id:{at}\nevent:result\ndata:{json.dumps(event)}\n\n" for at, event in enumerate(events))
    return exchange.send_bytes(200, data.encode(), {"Content-Type": "text/event-stream;charset=UTF-8"})


def stream_only(exchange: Exchange, content: Content) -> None:
    """Answer in a stream only, as QwQ does."""
    if not exchange.heard.body.get("stream"):
        sentence = "This model only support stream mode, please enable the stream parameter to access the model. "
        return reject(exchange, "invalid_parameter_error", sentence)
    return families.stream(exchange, f"<think>\n{content.draft}\n</think>\n\n{content.text}")


def python_literal(content: Content) -> str:
    """Write the value as a small model does: as Python, with a comma too many, in a fence."""
    return f"```python\n{repr(content.value)[:-1]},}}\n```"


def table(content: Content) -> str:
    """Write the value as a table."""
    rows = "\n".join(
        f"| {name} | {said(part)[:20].replace('{', '').replace('[', '')} |" for name, part in _rows(content)
    )
    return f"| field | value |\n| --- | --- |\n{rows}"


def _rows(content: Content) -> Any:
    return content.value.items() if isinstance(content.value, dict) else [("value", content.value)]


GEMINI = [
    {
        "error": {
            "code": 400,
            "message": 'Invalid JSON payload received. Unknown name "additionalProperties" at '
            "'generation_config.response_schema': Cannot find field.",
            "status": "INVALID_ARGUMENT",
        }
    }
]
FLAT = {"object": "error", "message": "response_format json_schema is not supported", "type": "BadRequestError"}
GRAMMAR = {"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}}
NO_SYSTEM = {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400}
GEMMA = [{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}]


def has_schema(exchange: Exchange) -> bool:
    """Return whether the request holds a schema."""
    return kind_of_format(exchange) == "json_schema"


def has_format(exchange: Exchange) -> bool:
    """Return whether the request asks for JSON beside its words."""
    return bool(kind_of_format(exchange))


def has_system(exchange: Exchange) -> bool:
    """Return whether a message has the system role."""
    return any(message["role"] == "system" for message in exchange.heard.messages)


_plain = worded("{answer}")
_THOUGHT = "<think>\n{draft}\n</think>\n\n{answer}"
_CHANNELS = (
    "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
)


class Family(NamedTuple):
    """A model by its name at the site, and its manner."""

    manner: Manner
    model: str = "openai:house-model"


FAMILIES: dict[str, Family] = {
    "plain": Family(_plain),
    "plain at DashScope": Family(_plain, "dashscope:qwen-plus"),
    "GPT-5": Family(gpt5, "openai:gpt-5"),
    "GPT-5 under a name of the house": Family(gpt5),
    "DeepSeek's reasoner": Family(
        refusing(
            has_schema,
            FLAT,
            then=lambda exchange, content: send(exchange, content.text, reasoning_content=content.draft),
        )
    ),
    "R1 with both tags": Family(worded(_THOUGHT)),
    "R1 with one tag": Family(worded(_THOUGHT.removeprefix("<think>\n"))),
    "R1 at DashScope": Family(worded(_THOUGHT), "dashscope:qwen-r1"),
    "Magistral": Family(worded("[THINK]{draft}[/THINK]{answer}")),
    "Granite": Family(worded("Here is my thought process: {draft}\n\nHere is my response:\n{answer}")),
    "gpt-oss without its parser": Family(worded(_CHANNELS), "openai:gpt-oss-20b"),
    "gpt-oss without its signs": Family(worded("analysis{draft}assistantfinal{answer}")),
    "Qwen's preface": Family(for_json(lambda content: f"Sure:\n```json\n{content.text}\n```\nAnything else?")),
    "Llama's prose first": Family(for_json(lambda content: "I would rather say it in words.", until_told=True)),
    "tables until told": Family(for_json(table, until_told=True)),
    "twice until told": Family(
        for_json(lambda content: f"{said(content.opposite)}\n\nCorrected:\n{content.text}", until_told=True)
    ),
    "Gemini": Family(refusing(has_schema, GEMINI)),
    "Gemma at Google": Family(refusing(has_system, GEMMA)),
    "Gemma on vLLM": Family(refusing(has_system, NO_SYSTEM)),
    "vLLM without schemas": Family(refusing(has_schema, FLAT)),
    "llama.cpp's grammar": Family(refusing(has_format, GRAMMAR, 500)),
    "Ollama's lower case": Family(for_json(lambda content: said(content.local))),
    "loose values": Family(for_json(lambda content: said(content.loose))),
    "loose values at DashScope": Family(for_json(lambda content: said(content.loose)), "dashscope:qwen-plus"),
    "words of the post": Family(for_json(lambda content: said(content.local)), "dashscope:qwen-max"),
    "Mistral": Family(mistral),
    "cut in the middle": Family(cut),
    "a small model": Family(for_json(python_literal)),
    "a router": Family(router()),
    "a tool's call": Family(call),
    "a tool's call at DashScope": Family(call, "dashscope:qwen-plus"),
    "a function's call": Family(old_call),
    "Hermes": Family(
        for_json(lambda content: f'<tool_call>\n{{"name": "answer", "arguments": {content.text}}}\n</tool_call>')
    ),
    "an object": Family(
        lambda exchange, content: (
            send(exchange, content.text) if content.prose else send(exchange, None, content=content.value)
        )
    ),
    "JSON in JSON": Family(for_json(lambda content: json.dumps(content.text))),
    "a list of one": Family(for_json(lambda content: said([content.value]))),
    "a call in a list": Family(
        for_json(lambda content: f"[TOOL_CALLS] [{said({'name': 'answer', 'arguments': content.value})}]")
    ),
    "wide signs": Family(for_json(lambda content: content.text.replace('": ', '"：').replace(', "', '，"'))),
    "a thought of a page": Family(
        for_json(
            lambda content: f'<details type="reasoning" done="true">\n> {content.draft}\n</details>\n{content.text}'
        )
    ),
    "a thought in signs of a page": Family(
        for_json(lambda content: f"&lt;think&gt;\n{content.draft}\n&lt;/think&gt;\n{content.text}")
    ),
    "wrapped twice": Family(for_json(lambda content: said({"response": {"answer": content.value}}))),
    "wrapped in its schema": Family(for_json(lambda content: said({"type": "object", "properties": content.value}))),
    "LM Studio's thought": Family(thought_alone),
    "old completions": Family(old_completion),
    "DashScope's text": Family(old_completion, "dashscope:qwen-turbo"),
    "events unasked": Family(stream),
    "QwQ": Family(stream_only),
    "QwQ at DashScope": Family(stream_of_all, "dashscope:qwq-plus"),
}

NEVER_READ: dict[str, Manner] = {
    "prose": for_json(lambda content: "I would rather say it in words."),
    "tables": for_json(table),
    "twice": for_json(lambda content: f"{said(content.opposite)}\n\nCorrected:\n{content.text}"),
    "a draft in a thought without its end": for_json(lambda content: f"<think>{content.text}"),
    "a draft among the thoughts alone": lambda exchange, content: send(exchange, "", reasoning_content=content.draft),
    "a draft in the first channel alone": for_json(
        lambda content: f"<|channel|>analysis<|message|>{content.text}<|end|>"
    ),
    "a draft under its name": for_json(lambda content: said({"draft": content.value, "final": content.opposite})),
}


def speaks(family: Family, content_of: Callable[[Exchange], Content]) -> Behaviour:
    """Return the behaviour of a server that says each content in the family's manner."""
    return lambda exchange: family.manner(exchange, content_of(exchange))
