"""Answers of other protocols that a gateway passes on under OpenAI's path, one manner each."""

from collections.abc import Callable
from typing import Any

from wire.manners import Content, Family, send
from wire.server import Exchange


def body(form: Callable[[Exchange, Content], Any]) -> Family:
    """A gateway that passes on the body of another protocol."""
    return Family(lambda exchange, content: exchange.send(200, form(exchange, content)))


def _thought_in_parts(exchange: Exchange, content: Content) -> None:
    send(exchange, None, content=[{"text": content.draft, "thought": True}, {"text": content.text}])


PASSED_ON: dict[str, Family] = {
    "wrapped by a gateway": body(
        lambda exchange, content: {"code": 0, "msg": "ok", "data": exchange.reply(content.text)}
    ),
    "Ollama's own": body(
        lambda exchange, content: {
            "message": {"role": "assistant", "content": content.text, "thinking": content.draft},
            "done": True,
            "done_reason": "stop",
        }
    ),
    "Cohere": body(
        lambda exchange, content: {
            "finish_reason": "COMPLETE",
            "message": {"role": "assistant", "content": [{"type": "text", "text": content.text}]},
        }
    ),
    "Gemini's own": body(
        lambda exchange, content: {
            "candidates": [
                {
                    "content": {"parts": [{"text": content.draft, "thought": True}, {"text": content.text}]},
                    "finishReason": "STOP",
                }
            ]
        }
    ),
    "Bedrock": body(
        lambda exchange, content: {
            "output": {
                "message": {
                    "content": [
                        {"reasoningContent": {"reasoningText": {"text": content.draft}}},
                        {"text": content.text},
                    ]
                }
            },
            "stopReason": "end_turn",
        }
    ),
    "Anthropic": body(
        lambda exchange, content: {
            "type": "message",
            "content": [{"type": "thinking", "thinking": content.draft}, {"type": "text", "text": content.text}],
            "stop_reason": "end_turn",
        }
    ),
    "OpenAI's responses": body(
        lambda exchange, content: {
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": content.draft}]},
                {"type": "message", "content": [{"type": "output_text", "text": content.text}]},
            ],
        }
    ),
    "a thought among the parts": Family(_thought_in_parts),
}
