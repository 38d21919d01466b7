"""What a provider's error means: one table for every vendor that speaks HTTP."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from providers.http.bounds import TimedOut, TooLarge, TransportFault
from providers.messages import BadRequest, ProviderBusy, ProviderError, ProviderPaused, Refused

# The provider's own filter stopped the content (OpenAI, Azure, DashScope and its OpenAI-compatible side, and others).
_BLOCKED = {
    "content_filter",
    "content_policy_violation",
    "contentpolicyviolation",
    "responsibleaipolicyviolation",
    "datainspectionfailed",
    "data_inspection_failed",
    "ip_infringement_suspect",
    "invalid_prompt",  # what OpenAI's reasoning models answer
    "cyber_policy",
    "bio_policy",
    "moderation_blocked",
    "content_blocked",
    "prohibited_content",
    "safety",
}
# The same without such a word: older DashScope, Azure, routers.
_BLOCKED_SENTENCES = (
    "inappropriate content",
    "our usage polic",
    "content management policy",
    "violates our content policy",
    "input was flagged",
    "prompt was flagged",
    "request has been flagged",
    "rejected by the safety system",
    "rejected as a result of our safety system",
)
_REJECTED_STATUS = range(400, 500)
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
# The account, not the request, is the trouble: no retry helps, a person has to act.
_ACCOUNT = {"insufficient_quota", "arrearage", "billing_hard_limit_reached", "account_deactivated", "invalid_api_key"}
_ACCOUNT_STATUS = {401, 402, 403}
_PASSING_STATUS = {408, 409, 425, 429}
_UNSUPPORTED_STATUS = 501
# What some servers say with status 500 of what will never succeed: a picture for a model without eyes, a parameter that
# their own validator rejects.
_UNSUPPORTED_SENTENCES = (
    *("not supported", "not support ", "unsupported", "not implemented"),
    *("validation error", "input should be", "inputs are not permitted", "must be created with"),
)
_PAUSE_SECONDS = 300.0
_SHOWN = 300
_READ = 600


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
    shown = " ".join(message.split())[:_SHOWN].rstrip(".")
    sentence = f"{provider} answered {status}" + (f" {code}" if code else "") + (f": {shown}" if shown else "")
    word = code.lower()
    if word in _BLOCKED or (status in _REJECTED_STATUS and _tells_of_a_filter(message)):
        return Refused(sentence, code="provider_blocked")
    if word in _ACCOUNT or status in _ACCOUNT_STATUS:
        return ProviderPaused(f"{sentence}. Look at the key and the quota of {provider}.", retry_after=_PAUSE_SECONDS)
    if status in _PASSING_STATUS or (status >= 500 and not _is_unsupported(status, message)):
        return ProviderBusy(sentence, retry_after=read_retry_after(headers, now or datetime.now(UTC)))
    return BadRequest(sentence, word=code, parameter=parameter, sentence=message)


def telling_word(*words: object) -> str:
    """Return the one of a vendor's words for a fault that says most: that of a filter, else the first that it gives.

    A number is none: some servers repeat the status there.
    """
    given = [str(word) for word in words if word and not str(word).isdecimal()]
    return next((word for word in given if word.lower() in _BLOCKED), given[0] if given else "")


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


def _is_unsupported(status: int, message: str) -> bool:
    shown = message[:_READ].lower()
    is_said = status == 500 and any(sentence in shown for sentence in _UNSUPPORTED_SENTENCES)
    return status == _UNSUPPORTED_STATUS or is_said


def _tells_of_a_filter(message: str) -> bool:
    shown = message[:_READ].lower()
    return any(sentence in shown for sentence in _BLOCKED_SENTENCES)


def error_of_transport(provider: str, fault: TransportFault) -> ProviderError:
    """Return the exception for an exchange without an answer."""
    if isinstance(fault, TooLarge):
        return ProviderError(f"{provider}: {fault}", code="too_large")
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
