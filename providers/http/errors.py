"""What a provider's error becomes: one exception for every kind of fault, for every vendor that speaks HTTP."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from providers.http.blame import Asked, Blame, affordable_tokens, blame_of, names_place
from providers.http.bounds import Redirected, TimedOut, TooLarge, TransportFault
from providers.http.stated_fault import StatedFault, decoded, is_page, page_title
from providers.http.streams import CutStream, is_stream, whole_answer
from providers.messages import (
    AccessUnclear,
    BadRequest,
    Forbidden,
    ModelPaused,
    ProviderBusy,
    ProviderError,
    Refused,
    TooDear,
    TurnedBack,
    WrongAddress,
)

_CUT_ENDS = {"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"}
# How an answer ends that the model declined, or that a filter stopped.
_DECLINED_ENDS = {"refusal", "refused"}
_STOPPED_ENDS = {
    "content_filter",
    "safety",
    "prohibited_content",
    "blocklist",
    "spii",
    "sensitive",
    "data_inspection_failed",
}
_PAUSE_SECONDS = 300.0
_SHOWN = 300


def error_of_status(
    provider: str,
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str],
    *,
    parameter: str = "",
    now: datetime | None = None,
) -> ProviderError | Refused:
    """Return the exception for an answer with an error status; `code`, `message` and `parameter` are the vendor's."""
    fault = StatedFault(message, (code.lower(),) if code else (), code, parameter)
    return error_of(provider, status, fault, headers, now=now)


def error_of(
    provider: str,
    status: int,
    fault: StatedFault,
    headers: Mapping[str, str],
    *,
    asked: Asked | None = None,
    now: datetime | None = None,
) -> ProviderError | Refused:
    """Return the exception for an answer that tells of a fault, by who is at fault (`blame.blame_of`)."""
    asked = asked or Asked()
    sentence = _sentence(provider, status, fault)
    match blame_of(status, fault, asked):
        case Blame.CONTENT:
            return Refused(sentence, code="provider_blocked")
        case Blame.PASSING:
            return ProviderBusy(sentence, retry_after=read_retry_after(headers, now or datetime.now(UTC)))
        case Blame.TURNED_BACK:
            return TurnedBack(sentence)
        case Blame.ADDRESS:
            return WrongAddress(sentence)
        case Blame.SERVER:
            return ProviderError(sentence)
        case Blame.REQUEST | Blame.UNKNOWN as blame:
            is_unknown = blame is Blame.UNKNOWN
            told = f"{sentence}. Name a model that {provider} has" if is_unknown else sentence
            bad = BadRequest(told, word=fault.code, parameter=fault.parameter, sentence=fault.sentence)
            bad.is_final = is_unknown
            return bad
        case pausing:
            return _pause(pausing, provider, sentence, fault, asked)


def _pause(blame: Blame, provider: str, sentence: str, fault: StatedFault, asked: Asked) -> Forbidden:
    advised = f"{sentence}. Look at the key and the quota of {provider}."
    if names_place(fault):
        advised = f"{sentence}. Name a model of a provider that serves this place, or ask {provider} to."
    if blame is Blame.MODEL and asked.model:
        told = f"{sentence}. Name another model, or have this one opened: other models of {provider} go on."
        return ModelPaused(told, model=f"{provider}:{asked.model}", retry_after=_PAUSE_SECONDS)
    if blame is Blame.FUNDS:
        return TooDear(advised, affordable_tokens(fault), retry_after=_PAUSE_SECONDS)
    if blame is Blame.UNCLEAR:
        return AccessUnclear(advised, sentence=sentence, retry_after=_PAUSE_SECONDS)
    return Forbidden(advised, retry_after=_PAUSE_SECONDS)


def _sentence(provider: str, status: int, fault: StatedFault) -> str:
    """Return what the provider answered, in its own words; a body without words is told by its fields."""
    shown = " ".join(fault.sentence.split())[:_SHOWN].rstrip(".")
    what = f"{provider} answered {status}" + (f" {fault.code}" if fault.code else "")
    if fault.is_page:
        what += " with a page instead of JSON"
    elif status < 400:
        what += " with a fault instead of an answer" if shown else " without an answer"
        shown = shown or (f"its fields are {', '.join(fault.keys)}" if fault.keys else "")
    reasons = f" ({', '.join(fault.reasons)})"[:_SHOWN] if fault.reasons else ""
    return what + (f": {shown}" if shown else "") + reasons


def read_success(provider: str, content: bytes, content_type: str = "") -> dict[str, Any]:
    """Return the JSON object of an answer with status 200, also where it came as a stream of events.

    Raises ProviderBusy if it is a page, a cut body or anything else.
    """
    if is_page(content, content_type):
        raise ProviderBusy(_sentence(provider, 200, StatedFault(page_title(content), is_page=True)))
    try:
        answer = whole_answer(content) if is_stream(content, content_type) else decoded(content)
    except CutStream as fault:
        raise ProviderBusy(f"{provider} answered 200, but {fault}") from fault
    except (ValueError, RecursionError) as fault:
        what = "something that is not JSON" if content.strip() else "an empty body"
        raise ProviderBusy(f"{provider} answered 200 with {what}") from fault
    if not isinstance(answer, dict):
        raise ProviderBusy(f"{provider} answered 200 with JSON that is no answer of a model")
    return answer


def refusal_by_end(name: str, *ends: object, empty: bool) -> Refused | None:
    """Return the refusal that the end of an answer tells of: the first of its reasons that is one.

    A reason of safety counts only for an `empty` answer; a refusal and a stop by the filter always do.

    Returns None if the answer ended otherwise.
    """
    for end in ends:
        word = str(end or "").lower().replace("-", "_").partition(":")[0]
        if word in _DECLINED_ENDS:
            return Refused(f"{name}: the model declined to answer")
        if word == "content_filter" or (word in _STOPPED_ENDS and empty):
            return Refused(f"{name}: the provider's filter stopped the answer", code="provider_blocked")
    return None


def read_end(end: object) -> str:
    """Return how an answer ended: "length" for every vendor's word for a cut one, "stop" where nothing is said."""
    word = str(end or "stop")
    return "length" if word.lower() in _CUT_ENDS else word


def error_of_transport(provider: str, fault: TransportFault) -> ProviderError:
    """Return the exception for an exchange without an answer."""
    if isinstance(fault, TooLarge):
        return ProviderError(f"{provider}: {fault}", code="too_large")
    if isinstance(fault, Redirected):
        return WrongAddress(f"{provider}: {fault}")
    return ProviderBusy(f"{provider}: {fault}", code="timeout" if isinstance(fault, TimedOut) else None)


def hide_key(text: str, key: str) -> str:
    """Replace our key in a provider's text; some repeat it. A key of under six characters is not replaced."""
    return text.replace(key, "[key]") if len(key) >= 6 else text


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, in either of its two forms.

    Returns None if it is absent or unreadable.
    """
    header = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    if not header:
        return None
    try:
        return max(0.0, float(header)) if float(header) < 1e9 else None
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())
