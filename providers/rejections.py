"""Read in a server's refusal of a request which parameter of the request it does not take.

The server's `param` counts most. Where it names none, the sentence is read, word by word and only its beginning. What
the sentence may quote of the prompt teaches nothing.
"""

import re
from collections.abc import Iterator

from providers.messages import BadRequest, Request
from providers.profiles import JSON_FORMS, Fact, Lesson, ModelProfile

_UNKNOWN = ("unsupported", "not support", "n't support", "extra", "not permitted", "unknown", "unrecogni", "unexpected")
_LEAST_LIMIT = 64  # a smaller number in the sentence is no limit of an answer

_READ = 600
_QUOTED = 4
"""So many words in a row are a quotation."""
_WORD = re.compile(r"[a-z][a-z_]*")
_NUMBER = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"[.;\n](?=\s|$)")
_LIMITS = ("max_tokens", "max_completion_tokens")

_REJECTING_WORDS = {
    "unsupported",
    "unrecognized",
    "unrecognised",
    "unknown",
    "unexpected",
    "extra_forbidden",
    "invalid",
}
_REJECTING_PHRASES = (
    "not support",
    "n't support",
    "not permitted",
    "not allowed",
    "not available",
    "not accept",
    "only the default",
    "unavailable",
    "allowed values",
    "not one of",
    "must be",
    "should be",
    "too large",
    "not enabled",
    "is not a",
    "maximum allowed",
    "deprecated",
    "cannot be",
    "can't be",
    "enabled only",
    "only available",
    "不支持",
    "非法",
    "有误",
    "无效",
    "지원하지",
    "지원되지",
    "사용할 수 없",
    "허용되지",
    "올바르지",
)
_TOO_LONG = ("context length", "context window", "context limit", "context size", "prompt is too long")
# Words by which sentences speak of a parameter without its name.
_OTHER_NAMES = {"json_schema": "response_format", "json_object": "response_format", "guided_json": "response_format"}
_JSON_PHRASES = ("json mode", "json schema", "response format", "structured output")
_PICTURE_PHRASES = ("image input", "image(s)", "images are not", "vision", "multimodal", "multi-modal", "image_url")
_STREAM = re.compile(
    r"only (?:support|accept|allow|work)s?(?:ed)? (?:in |with )?(?:the )?stream|only stream(?:ing|ed)?\b"
    r"|non-?\s?stream(?:ing|ed)?\b[^.]{0,40}?(?:not|n't|un)[ -]?(?:support|allow|available|accept)"
    r"|(?:not|n't) (?:support|allow|accept)[a-z]* (?:a |any )?non-?\s?stream"
    r"|enable the stream parameter|stream(?:ing)? mode only|incremental_output (?:set )?to true"
    r"|\bstream(?:ing)?\W{0,3}(?:must|should|has to|needs to) be (?:set )?(?:to )?(?:true|enabled)"
    r"|stream(?:ing)? is required|requires? stream|(?:仅|只)(?:能|支持)[^。]{0,6}流式|不支持非流式|必须[^。]{0,8}流式"
    r"|스트리밍[^.]{0,8}만 (?:지원|사용|가능)|스트리밍만"
)
_SYSTEM = re.compile(
    r"(?:system|developer) (?:role|message|prompt|instruction)s?\b[^.]{0,40}?"
    r"(?:n[o']t |un)(?:supported|enabled|allowed)"
    r"|n[o'’]?t support[a-z]* (?:the |a |any )?\W?(?:system|developer)\b"
    r"|roles must alternate|only user and assistant roles|should be \W?user\W{1,3}or \W?assistant"
    r"|(?:invalid|unknown|unsupported|unexpected) (?:message )?role\b[^.]{0,20}?system"
    r"|(?:first|1st) message must be (?:from |of )?(?:the |a )?\W?user|must (?:start|begin) with (?:the |a )?\W?user"
    r"|不支持\W{0,3}system|system\W{0,3}(?:角色|消息|指令)?[^。]{0,6}(?:不支持|不合法|无效)|角色不合法\W{0,3}system"
    r"|system\W{0,3}(?:역할|메시지|프롬프트|지시)[^.]{0,8}(?:지원|허용|사용할 수 없)"
)
_SCHEMA = re.compile(
    r"(?:parse|compil|creat|initiali[sz]|invalid|unsupported|error)[^.]{0,40}?(?:grammar|samplers)\b"
    r"|grammar\b[^.]{0,40}?(?:fail|invalid|error|(?:not |un)supported)|schema (?:produces|is too)"
    r"|(?:fail|invalid|unsupported|unable)[^.]{0,50}?(?:response|json)?[ _]?schemas?\b|response_?schema"
    r"|\bjson_?schema\W{1,4}or\W{1,4}grammar|failed to generate json|\boutput_(?:format|config)\b"
    r"|(?:invalid|required for) format\b|contains an invalid argument"
)
_UNKNOWN_NAME = re.compile(r"unknown name \W{0,3}([\w$]+)[^:]*: cannot find field")
_NO_NAME = {"", "none", "null"}
_NEVER_LEFT_OUT = {"model", "messages", "input", "logprobs", "top_logprobs", "result_format", "stream", "headers"}


def lesson_of(fault: BadRequest, request: Request) -> Lesson | None:
    """Return what the refusal tells of the model, to be heeded in the next call.

    Returns None if it tells nothing of a parameter, for example because the prompt is too long.
    """
    profile = request.profile or ModelProfile()
    sentence = fault.sentence[:_READ].lower()
    if any(phrase in sentence for phrase in _TOO_LONG) or "context_" in fault.word.lower():
        return None
    if "enable_thinking" in sentence.replace("enable thinking", "enable_thinking") and "false" in sentence:
        return Lesson(Fact.MUST_NOT_THINK)
    if way := _other_way(fault, sentence, request, profile):
        return way
    parameter = _rejected_parameter(fault, sentence, request)
    if parameter == "response_format":
        return _next_json_form(profile)
    if parameter in _LIMITS:
        return _limit_lesson(parameter, sentence, request)
    if parameter == "temperature" and request.temperature == 0 and _wants_more_than_nothing(sentence):
        return Lesson(Fact.LEAST_TEMPERATURE)
    if parameter == "messages" and request.has_pictures and any(phrase in sentence for phrase in _PICTURE_PHRASES):
        return Lesson(Fact.NO_PICTURES)
    return Lesson(Fact.REJECTS, parameter) if parameter and parameter not in _NEVER_LEFT_OUT else None


def _other_way(fault: BadRequest, sentence: str, request: Request, profile: ModelProfile) -> Lesson | None:
    """Return that the model wants its question in another way: streamed, or without a system role."""
    is_named = fault.parameter.strip().lower() == "stream"
    if not profile.streams and (is_named or _tells(_STREAM, sentence, request)):
        return Lesson(Fact.STREAMS)
    has_system = any(message.role == "system" for message in request.messages)
    return Lesson(Fact.NO_SYSTEM) if has_system and _tells(_SYSTEM, sentence, request) else None


def _tells(words: re.Pattern[str], sentence: str, request: Request) -> bool:
    """Return whether the sentence has these words and does not quote them of the prompt."""
    said = words.search(sentence)
    return said is not None and not any(said[0] in message.text.lower() for message in request.messages)


def _rejects_schema(fault: BadRequest, sentence: str, request: Request) -> bool:
    """Return whether the server could do nothing with the schema: a name inside it, or the grammar made of it."""
    if "response_format" not in fault.sent:
        return False
    unknown = _UNKNOWN_NAME.search(sentence)
    is_inside = unknown is not None and unknown[1] not in fault.sent
    return (is_inside and request.schema is not None) or _tells(_SCHEMA, sentence, request)


def _rejected_parameter(fault: BadRequest, sentence: str, request: Request) -> str:
    """Return the parameter that the server names as the fault; empty if it names none that was sent."""
    named = re.split(r"[.\[]", fault.parameter.strip().lower().removeprefix("body."), maxsplit=1)[0]
    if "schema" in fault.parameter.lower() and "response_format" in fault.sent:  # of another protocol behind this one
        return "response_format"
    if named not in _NO_NAME:
        return named if named in fault.sent else ""
    if _rejects_schema(fault, sentence, request):
        return "response_format"
    prompt = _words_of_prompt(request)
    for clause in _clauses(sentence):
        if _rejects(clause) and (parameter := _named_in(clause, fault.sent, prompt)):
            return parameter
    return ""


def quotes_prompt(sentence: str, request: Request) -> bool:
    """Return whether a server's sentence repeats words of the prompt, so that it may not be kept."""
    words: list[str] = _WORD.findall(sentence[:_READ].lower())
    prompt = _words_of_prompt(request)
    return any(" ".join(words[place : place + _QUOTED]) in prompt for place in range(len(words) - _QUOTED + 1))


def _words_of_prompt(request: Request) -> str:
    return " ".join(_WORD.findall(" ".join(message.text for message in request.messages).lower()))


def _clauses(sentence: str) -> Iterator[str]:
    """Yield each sentence, then the whole: the verb may stand in one sentence and the parameter in the next."""
    parts = [part.strip() for part in _SENTENCE_END.split(sentence) if part.strip()]
    yield from parts
    if len(parts) > 1:
        yield sentence


def _rejects(clause: str) -> bool:
    return any(phrase in clause for phrase in _REJECTING_PHRASES) or not _REJECTING_WORDS.isdisjoint(
        _WORD.findall(clause)
    )


def _named_in(clause: str, sent: frozenset[str], prompt: str) -> str:
    """Return the first parameter that the clause names; what stands in the prompt too is passed over as a quotation."""
    words: list[str] = _WORD.findall(clause)
    for place, word in enumerate(words):
        parameter = _OTHER_NAMES.get(word, word)
        if parameter in sent - {"model", "messages", "input"}:
            around = " ".join(words[max(0, place - 1) : place + 3])
            if around not in prompt:
                return parameter
    if "response_format" in sent and any(phrase in clause and phrase not in prompt for phrase in _JSON_PHRASES):
        return "response_format"
    return "messages" if any(phrase in clause for phrase in _PICTURE_PHRASES) else ""


def _next_json_form(profile: ModelProfile) -> Lesson | None:
    """Return the form that asks for less than the one that was refused."""
    place = JSON_FORMS.index(profile.json) + 1
    return Lesson(Fact.JSON, JSON_FORMS[place]) if place < len(JSON_FORMS) else None


def _limit_lesson(parameter: str, sentence: str, request: Request) -> Lesson | None:
    """Return the other name of the limit where the server does not know this one, else the most that it allows."""
    other_name = _LIMITS[1 - _LIMITS.index(parameter)]
    if other_name in sentence or any(word in sentence for word in _UNKNOWN):
        return Lesson(Fact.LIMIT_NAME, other_name)
    allowed = [int(number) for number in _NUMBER.findall(sentence) if len(number) <= 7]
    fitting = [number for number in allowed if _LEAST_LIMIT <= number < request.max_tokens]
    return Lesson(Fact.MOST_TOKENS, str(max(fitting))) if fitting else None


def _wants_more_than_nothing(sentence: str) -> bool:
    return any(phrase in sentence for phrase in ("strictly positive", "greater than 0", "above 0", "> 0", "(0"))
