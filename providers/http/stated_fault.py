"""What the body of an answer tells of a fault, in every form of servers: its sentence, its codes, its reasons."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from providers.half_characters import whole, whole_texts
from providers.http import fault_words

_SENTENCES = ("message", "msg", "detail", "error_description", "error_msg", "status_msg", "title", "description")
_CODES = ("code", "type", "status", "error_code", "status_code", "reason")
_INSIDE = ("error", "innererror", "detail", "details", "errors", "base_resp", "metadata", "cause", "status")
_PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|\?xml|!--)", re.IGNORECASE)
_HEADING = re.compile(r"<(title|h1|h2)\b[^>]*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_UNSEEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_MOST = 2_000
_DEEP = 4


@dataclass(frozen=True)
class StatedFault:
    """A fault in a server's own words.

    `codes` are all its words and numbers for it, in small letters. `reasons` are those of a moderation, `is_page` says
    that a page came instead of JSON, and `keys` names the fields of a body that says nothing.
    """

    sentence: str = ""
    codes: tuple[str, ...] = ()
    code: str = ""
    """The one of its codes that says most, as it writes it; numbers are none."""
    parameter: str = ""
    reasons: tuple[str, ...] = ()
    is_page: bool = False
    keys: tuple[str, ...] = ()

    @property
    def status(self) -> int | None:
        """The status of HTTP that stands among the codes, if one does."""
        return next((int(code) for code in self.codes if code.isdecimal() and 400 <= int(code) < 600), None)


def read_body(content: bytes, content_type: str = "") -> StatedFault:
    """Return what the body of an answer with an error status tells."""
    if is_page(content, content_type):
        return StatedFault(sentence=page_title(content), is_page=True)
    try:
        return read_answer(decoded(content))
    except (ValueError, RecursionError):
        return StatedFault(sentence=" ".join(content[:_MOST].decode("utf-8", "replace").split()))


def read_answer(answer: Any) -> StatedFault:
    """Return what a decoded body tells: an object, one inside another or in a list, or a mere sentence."""
    found = list(_objects(answer, 0))
    sentences = [sentence for one in found for sentence in _sentences_of(one)]
    codes = [code for one in found if isinstance(one, dict) for code in _codes_of(one)]
    behind = next((words for one in found if (words := _behind_router(one))), "")
    sentence = next(iter(sentences), "")
    parameters = [one.get("param") for one in found if isinstance(one, dict)]
    return StatedFault(
        whole(f"{sentence}: {behind}" if behind and behind != sentence else sentence)[:_MOST],
        tuple(code.lower() for code in codes),
        next((code for code in sorted(codes, key=_says_least) if not code.isdecimal()), ""),
        next((str(parameter) for parameter in parameters if parameter), ""),
        tuple(_reasons(found)),
        keys=tuple(str(key) for key in answer)[:12] if isinstance(answer, dict) else (),
    )


def decoded(content: bytes) -> Any:
    """Return the JSON of a body; half characters in its texts are replaced.

    Raises ValueError if it is no JSON, RecursionError if it is nested too deep.
    """
    answer = json.loads(content.decode("utf-8-sig", "replace"))
    return whole_texts(answer) if rb"\ud" in content or rb"\uD" in content else answer


def is_page(content: bytes, content_type: str = "") -> bool:
    """Return whether this is a page for people."""
    return _PAGE.match(content) is not None or ("text/html" in content_type.lower() and content[:1] not in b"{[")


def page_title(content: bytes) -> str:
    """Return the title and the first heading of a page, or its first words."""
    page = content[:50_000].decode("utf-8", "replace")
    headings = [" ".join(html.unescape(_TAG.sub(" ", text)).split()) for _tag, text in _HEADING.findall(page)]
    words = "" if any(headings) else " ".join(html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", page))).split())
    return ": ".join(dict.fromkeys(heading for heading in [*headings[:2], words] if heading))[:200]


def _objects(value: Any, depth: int) -> Iterator[Any]:
    """Yield the fault's own object first, then what surrounds it: the innermost `error` says most."""
    if depth > _DEEP:
        return
    if isinstance(value, list):
        for part in value[:4]:
            yield from _objects(part, depth + 1)
    elif isinstance(value, dict):
        inner = [value[name] for name in _INSIDE if isinstance(value.get(name), dict | list)]
        errors = [value["error"]] if isinstance(value.get("error"), dict | list) else []
        for part in errors:
            yield from _objects(part, depth + 1)
        yield value
        for part in inner:
            if part not in errors:
                yield from _objects(part, depth + 1)
    elif isinstance(value, str):
        yield value


def _sentences_of(one: Any) -> Iterator[str]:
    if isinstance(one, str):
        yield one
        return
    for name in ("error", *_SENTENCES):
        if isinstance(said := one.get(name), str) and said.strip():
            yield said
        elif name in ("message", "detail") and said and not isinstance(said, str):
            yield str(said)  # a list of what a validator says: it names the parameter


def _codes_of(one: Mapping[str, Any]) -> Iterator[str]:
    for name in _CODES:
        if isinstance(code := one.get(name), str | int) and not isinstance(code, bool) and str(code) not in ("", "0"):
            yield str(code)[:80]


def _says_least(code: str) -> bool:
    return not fault_words.is_filter_code(code.lower())


def _behind_router(one: Any) -> str:
    """Return what the server behind a router said, where it is passed on."""
    metadata = one.get("metadata") if isinstance(one, dict) else None
    behind = metadata.get("raw") if isinstance(metadata, dict) else None
    if behind is None and isinstance(one, dict):
        behind = one.get("cause")
    return behind if isinstance(behind, str) else ""


def _reasons(found: list[Any]) -> Iterator[str]:
    """Yield the reasons of a moderation: those of a router, those of Google's."""
    for one in found:
        if not isinstance(one, dict):
            continue
        listed = one.get("reasons")
        yield from (str(reason) for reason in listed if reason) if isinstance(listed, list) else ()
        if one.get("flagged_input"):
            yield "flagged"
        for name in ("promptFeedback", "prompt_feedback"):
            if isinstance(feedback := one.get(name), dict) and (
                reason := feedback.get("blockReason") or feedback.get("block_reason")
            ):
                yield str(reason)
