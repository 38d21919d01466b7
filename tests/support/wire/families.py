"""Behaviours of model families: each rejects what its models reject, in their servers' own form, and else answers.

`wire.always(gpt5)` makes the wire server one of them. What a request may hold is read from the request itself.
"""

import json
from collections.abc import Callable
from typing import Any

from wire.server import Behaviour, Exchange, answer_for, sensible


def parameters(exchange: Exchange) -> dict[str, Any]:
    """Return the request's parameters, which DashScope's own protocol has in a part of the body."""
    body = exchange.heard.body
    return body if exchange.speaks_openai else {"model": body.get("model"), **body.get("parameters", {})}


def reject(exchange: Exchange, code: str, sentence: str, parameter: str | None = None, *, status: int = 400) -> None:
    """Answer that the request is at fault."""
    exchange.send(status, exchange.fault(code, sentence, parameter))


def gpt5(exchange: Exchange) -> None:
    """Reject the old name of the limit and every temperature but 1, and think before the answer."""
    sent = parameters(exchange)
    if "max_tokens" in sent:
        sentence = "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead."
        return reject(exchange, "unsupported_parameter", sentence, "max_tokens")
    if sent.get("temperature", 1) != 1:
        sentence = f"Unsupported value: 'temperature' does not support {sent['temperature']}. Only 1 is supported."
        return reject(exchange, "unsupported_value", sentence, "temperature")
    return thinking(200)(exchange)


def thinking(tokens: int) -> Behaviour:
    """Think for so many tokens first: a limit that has no room for more ends in an empty answer."""

    def behave(exchange: Exchange) -> None:
        sent = parameters(exchange)
        limit = sent.get("max_completion_tokens") or sent.get("max_tokens") or 10**6
        if limit <= tokens:
            exchange.send(200, exchange.reply("", finish="length", thought=limit))
        else:
            exchange.send(200, exchange.reply(answer_for(exchange.heard), thought=tokens))

    return behave


def without_schema(exchange: Exchange) -> None:
    """Reject a JSON schema in words, without a parameter's name, as some local servers do."""
    if (parameters(exchange).get("response_format") or {}).get("type") == "json_schema":
        return reject(exchange, "", "response_format of type json_schema is not supported by this server")
    return sensible(exchange)


def text_only(exchange: Exchange) -> None:
    """Reject every response_format, and pictures."""
    if exchange.heard.pictures:
        return reject(exchange, "BadRequestError", "this-model is not a multimodal model; image_url is not supported")
    if "response_format" in parameters(exchange):
        return reject(exchange, "BadRequestError", "Extra inputs are not permitted: response_format", status=422)
    return sensible(exchange)


def strict(*names: str) -> Behaviour:
    """Reject every parameter but these with a sentence of a validator that names it."""

    def behave(exchange: Exchange) -> None:
        unknown = sorted(parameters(exchange).keys() - {"model", "messages", *names})
        if unknown:
            reject(exchange, "", f"[{{'type': 'extra_forbidden', 'loc': ('body', '{unknown[0]}')}}]", status=422)
        else:
            sensible(exchange)

    return behave


def hybrid_qwen(exchange: Exchange) -> None:
    """Answer in one piece only with thinking switched off, as DashScope's open Qwen3 models do."""
    if parameters(exchange).get("enable_thinking") is not False:
        sentence = "parameter.enable_thinking must be set to false for non-streaming calls"
        return reject(exchange, "InvalidParameter", sentence)
    return sensible(exchange)


def streams_only(exchange: Exchange) -> None:
    """Answer in a stream only, as QwQ does at DashScope by both protocols."""
    is_asked = exchange.heard.body.get("stream") or exchange.heard.headers.get("x-dashscope-sse") == "enable"
    if not is_asked:
        sentence = "This model only support stream mode, please enable the stream parameter to access the model. "
        return reject(exchange, "invalid_parameter_error", sentence)
    return stream(exchange, answer_for(exchange.heard))


def stream(exchange: Exchange, text: str) -> None:
    """Send a text as a stream of events, a few letters each."""
    whole = exchange.reply(text)
    pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
    bodies = [_event(exchange, piece, None) for piece in pieces] + [_event(exchange, "", "stop")]
    bodies[-1]["usage"] = whole["usage"]
    data = "".join(f"data: {json.dumps(body)}\n\n" for body in bodies) + "data: [DONE]\n\n"
    exchange.send_bytes(200, data.encode(), {"Content-Type": "text/event-stream"})


def _event(exchange: Exchange, piece: str, finish: str | None) -> dict[str, Any]:
    if exchange.speaks_openai:
        delta = {"index": 0, "delta": {"content": piece}, "finish_reason": finish}
        return {"object": "chat.completion.chunk", "model": exchange.heard.model, "choices": [delta]}
    return exchange.reply(piece, finish=finish or "null")


def no_system(exchange: Exchange) -> None:
    """Reject a system role, as vLLM does for Gemma 2."""
    if any(message["role"] == "system" for message in exchange.heard.messages):
        return exchange.send(400, {"object": "error", "message": "System role not supported", "code": 400})
    return sensible(exchange)


def limited(most: int, sentence: Callable[[int, int], str]) -> Behaviour:
    """Reject a limit above `most`; `sentence` is made of both numbers."""

    def behave(exchange: Exchange) -> None:
        wanted = parameters(exchange)["max_tokens"]
        if wanted > most:
            reject(exchange, "InvalidParameter", sentence(most, wanted))
        else:
            sensible(exchange)

    return behave


LLAMA_CONTEXT = 8192


def llama_cpp(exchange: Exchange) -> None:
    """Answer as llama.cpp's server with a model that reads text only.

    It says with a status of the server's own faults what it cannot do, and has the status in place of a code.
    """
    size = len(exchange.heard.said()) // 2
    if exchange.heard.texts:
        _llama_fault(exchange, 501, "not_supported_error", "This server does not support embeddings.")
    elif exchange.heard.pictures:
        hint = "hint: if this is unexpected, you may need to provide the mmproj"
        _llama_fault(exchange, 500, "server_error", f"image input is not supported - {hint}")
    elif size > LLAMA_CONTEXT:
        room = f"the available context size ({LLAMA_CONTEXT} tokens), try increasing it"
        _llama_fault(exchange, 400, "exceed_context_size_error", f"request ({size} tokens) exceeds {room}")
    else:
        sensible(exchange)


def _llama_fault(exchange: Exchange, status: int, kind: str, sentence: str) -> None:
    exchange.send(status, {"error": {"code": status, "message": sentence, "type": kind}})


def llama_cpp_python(exchange: Exchange) -> None:
    """Answer as llama-cpp-python's server: a form that its validator does not know is an internal error."""
    kind = (parameters(exchange).get("response_format") or {}).get("type", "text")
    if kind in ("text", "json_object"):
        return sensible(exchange)
    place = "'type': 'literal_error', 'loc': ('body', 'response_format', 'type')"
    told = f"1 validation error:\n  {{{place}, 'msg': \"Input should be 'text' or 'json_object'\", 'input': '{kind}'}}"
    fault = {"message": f'{told}\n\n  File "app.py"', "type": "internal_server_error", "param": None, "code": None}
    exchange.send(500, {"error": fault})
