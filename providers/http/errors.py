"""What a provider's error means: one table for every vendor that speaks HTTP."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from providers.http.transport import TimedOut, TooLarge, TransportFault
from providers.messages import ProviderBusy, ProviderError, ProviderPaused, Refused

# The provider's own filter stopped the content (OpenAI, Azure, DashScope and its OpenAI-compatible side).
_BLOCKED = {
    "content_filter",
    "content_policy_violation",
    "contentpolicyviolation",
    "responsibleaipolicyviolation",
    "datainspectionfailed",
    "data_inspection_failed",
    "ip_infringement_suspect",
}
# The account, not the request, is the trouble: no retry helps, a person has to act.
_ACCOUNT = {"insufficient_quota", "arrearage", "billing_hard_limit_reached", "account_deactivated", "invalid_api_key"}
_ACCOUNT_STATUS = {401, 402, 403}
_PASSING_STATUS = {408, 409, 425, 429}
_PAUSE_SECONDS = 300.0
_SHOWN = 300


def error_of_status(
    provider: str, status: int, code: str, message: str, headers: Mapping[str, str], *, now: datetime | None = None
) -> ProviderError | Refused:
    """Return the exception for an answer with an error status; `code` and `message` are the vendor's."""
    shown = " ".join(message.split())[:_SHOWN].rstrip(".")
    sentence = f"{provider} answered {status}" + (f" {code}" if code else "") + (f": {shown}" if shown else "")
    word = code.lower()
    if word in _BLOCKED:
        return Refused(sentence, code="provider_blocked")
    if word in _ACCOUNT or status in _ACCOUNT_STATUS:
        return ProviderPaused(f"{sentence}. Look at the key and the quota of {provider}.", retry_after=_PAUSE_SECONDS)
    if status in _PASSING_STATUS or status >= 500:
        return ProviderBusy(sentence, retry_after=read_retry_after(headers, now or datetime.now(UTC)))
    return ProviderError(sentence, code="bad_request")


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
