"""The same conversation in the form that one model takes: without a system role, reminded of the form of its answer."""

from collections.abc import Iterable

from providers.messages import Message, Text

REMINDER = (
    "Earlier answers could not be used, because of their form. "
    "Answer with the one JSON value that was asked for, and nothing around it."
)


def without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages with what the system says at the beginning of the first message of the user."""
    said = tuple(part for message in messages if message.role == "system" for part in message.parts)
    others = [message for message in messages if message.role != "system"]
    if not said:
        return messages
    first = next((place for place, message in enumerate(others) if message.role == "user"), None)
    if first is None:
        return (Message("user", said), *others)
    others[first] = Message("user", (*said, *others[first].parts))
    return tuple(others)


def with_reminder(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages with the reminder at the end of the last, unless the conversation asks for the form again."""
    if not messages or _has_answer(messages):
        return messages
    last = messages[-1]
    return (*messages[:-1], Message(last.role, (*last.parts, Text(REMINDER))))


def _has_answer(messages: Iterable[Message]) -> bool:
    return any(message.role == "assistant" for message in messages)
