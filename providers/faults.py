"""What a provider's bad answer means: one table for every vendor that speaks HTTP."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from providers.messages import ProviderBusy, ProviderError, ProviderPaused, Refused
from providers.transport import TimedOut, TooLarge, TransportFault

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


def provider_fault(
    provider: str, status: int, code: str, message: str, headers: Mapping[str, str], *, now: datetime | None = None
) -> ProviderError | Refused:
    """The exception that an answer with an error status stands for; `code` and `message` are the vendor's."""
    said = " ".join(message.split())[:_SHOWN].rstrip(".")
    sentence = f"{provider} answered {status}" + (f" {code}" if code else "") + (f": {said}" if said else "")
    word = code.lower()
    if word in _BLOCKED:
        return Refused(sentence, code="provider_blocked")
    if word in _ACCOUNT or status in _ACCOUNT_STATUS:
        return ProviderPaused(f"{sentence}. Look at the key and the quota of {provider}.", retry_after=_PAUSE_SECONDS)
    if status in _PASSING_STATUS or status >= 500:
        return ProviderBusy(sentence, retry_after=retry_after(headers, now or datetime.now(UTC)))
    return ProviderError(sentence, code="bad_request")


def transport_fault(provider: str, fault: TransportFault) -> ProviderError:
    """The exception that an exchange without an answer stands for."""
    if isinstance(fault, TooLarge):
        return ProviderError(f"{provider}: {fault}", code="too_large")
    return ProviderBusy(f"{provider}: {fault}", code="timeout" if isinstance(fault, TimedOut) else None)


def hidden(said: str, key: str) -> str:
    """What a provider said, without our key; some repeat it. Words too short to be a key are left."""
    return said.replace(key, "[key]") if len(key) >= 6 else said


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, in either of its two forms; None if absent or unreadable."""
    given = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    if not given:
        return None
    try:
        return max(0.0, float(given)) if float(given) < 1e9 else None
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(given)
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())
