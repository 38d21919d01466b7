"""Cut what a model thought out of the text of its answer, where its server leaves it there.

One cutter for every role. Servers without the model's parser leave thoughts as tags (`<think>`, only `</think>`,
`[THINK]`) or as the channels of gpt-oss. What stands inside a JSON value is a quotation of the post and cuts nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence

_NAMES = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think"
_OPENING = re.compile(
    rf"(?:<(?:{_NAMES})>|<details type=\"reasoning\"[^>\n]{{0,80}}>|&lt;think(?:ing)?&gt;"
    r"|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>"
    r"|Here(?:'s|’s| is) my thought process:)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"</(?:{_NAMES})>|</details>|&lt;/think(?:ing)?&gt;"
    r"|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|Here(?:'s|’s| is) my response:",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"\s*(?:<\|start\|>\s*assistant\s*)?<\|channel\|>|\s*(?:analysis|commentary)<\|message\|>")
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^\n]{0,80}?<\|message\|>")
_CALL = re.compile(r"<\|channel\|>\s*commentary\b[^\n]{0,120}?<\|message\|>(?=\s*\{)")
_CHANNEL_END = re.compile(r"<\|(?:return|end|start|call|channel)\|>")
# What is left of the channels where the server drops the signs between them.
_BARE_CHANNELS = re.compile(r"\s*analysis(?=[A-Z\"'“(*{\[]|[^\x00-\x7f]).*assistantfinal", re.DOTALL)
_AROUND = (
    re.compile(r"\s*<answer>(.*?)(?:</answer>\s*)?\Z", re.DOTALL | re.IGNORECASE),
    re.compile(r"\s*<\|begin_of_box\|>(.*?)(?:<\|end_of_box\|>\s*)?\Z", re.DOTALL),
    re.compile(r"\s*<\|begin_of_solution\|>(.*?)(?:<\|end_of_solution\|>\s*)?\Z", re.DOTALL),
    re.compile(r"\s*<\|START_RESPONSE\|>(.*?)(?:<\|END_RESPONSE\|>\s*)?\Z", re.DOTALL),
)
_LAST_SIGNS = (
    *(f"<|{name}|>" for name in ("im_end", "eot_id", "endoftext", "return", "end")),
    *("</s>", "<end_of_turn>", "<｜end▁of▁sentence｜>"),
)
_EDGE_AFTER = re.compile(r"[ \t]*(?:\r?\n|\Z|[{\[`<])")
_STARTS = 200  # a text of braces alone must not cost a parse at each of them
_LONGEST = 200_000

_Spans = Sequence[tuple[int, int]]


def without_thoughts(text: str) -> str:
    """Return what the model says, without what it thought; empty if it only thought."""
    if len(text) > _LONGEST:
        return text
    said = _after_thoughts(text)
    for around in _AROUND:
        if wrapped := around.match(said):
            said = wrapped[1]
    said = _without_last_signs(said)
    return text if said == text else said.strip()


def holds_thoughts(text: str) -> bool:
    """Return whether thoughts stand in the text."""
    return _after_thoughts(text) != text


def _without_last_signs(text: str) -> str:
    """Return the text without the signs of its end. Each character is looked at once: there may be many blanks."""
    end = place = len(text)
    while place:
        if text[place - 1].isspace():
            place -= 1
            continue
        sign = next((sign for sign in _LAST_SIGNS if text.endswith(sign, 0, place)), "")
        if not sign:
            break
        end = place = place - len(sign)
    return text[:end]


def _after_thoughts(text: str) -> str:
    if bare := _BARE_CHANNELS.match(text):
        return text[bare.end() :]
    if "<|message|>" in text:
        return _final_channel(text)
    return _without_marked(text)


def _without_marked(text: str) -> str:
    """Return the text without what stands between the signs of thoughts; before a closing one alone all is thought."""
    signs = sorted([*_openings(text), *_closings(text)])
    kept, place, begun = [], 0, None
    for at, end, is_opening in signs:
        if is_opening and begun is None:
            begun = at
        elif not is_opening:
            kept += [text[place:begun]] if begun is not None else []
            place, begun = end, None
    is_unfinished = begun is not None and not text[:begun].strip()
    return "".join(kept) + ("" if is_unfinished else text[place:])


def _openings(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where thoughts begin: at the start of the text or of a line."""
    begin = len(text) - len(text.lstrip())
    for sign in _unquoted(_OPENING, text):
        if sign.start() <= begin or text[sign.start() - 1] == "\n":
            yield sign.start(), sign.end(), True


def _closings(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where thoughts end: at the edge of a line; anywhere if nothing else ends what the text begins with."""
    found = _unquoted(_CLOSING, text)
    at_edges = [sign for sign in found if _is_at_edge(text, sign)]
    is_opened = _OPENING.match(text.lstrip()) is not None
    for sign in at_edges or (found if is_opened else []):
        yield sign.start(), sign.end(), False


def _final_channel(text: str) -> str:
    """Return the last channel that is meant to be read, or the last call; empty if there is none."""
    finals = _unquoted(_FINAL, text) or _unquoted(_CALL, text)
    if not finals:
        return "" if _CHANNEL.match(text) else text
    begins = finals[-1].end()
    quoted = _values(text)
    ends = (end.start() for end in _CHANNEL_END.finditer(text, begins) if not _is_inside(end.start(), quoted))
    return text[begins : next(ends, len(text))]


def _unquoted(sign: re.Pattern[str], text: str) -> list[re.Match[str]]:
    found = list(sign.finditer(text))
    quoted = _values(text) if found else ()
    return [match for match in found if not _is_inside(match.start(), quoted)]


def _is_at_edge(text: str, closing: re.Match[str]) -> bool:
    """Return whether a line ends or begins with the sign: inside a line it may be a quotation."""
    place = closing.start()
    while place and text[place - 1] in " \t":
        place -= 1
    return not place or text[place - 1] == "\n" or _EDGE_AFTER.match(text, closing.end()) is not None


def _is_inside(place: int, spans: _Spans) -> bool:
    return any(begin < place < end for begin, end in spans)


def _values(text: str) -> _Spans:
    return list(_whole_objects(text))


def _whole_objects(text: str) -> Iterator[tuple[int, int]]:
    decoder = json.JSONDecoder()
    place = text.find("{")
    for _ in range(_STARTS):
        if place < 0:
            return
        try:
            end = decoder.raw_decode(text, place)[1]
            yield place, end
        except (ValueError, RecursionError):
            end = place + 1
        place = text.find("{", end)
