"""The names of what can go wrong with a search. Such a fault ends the search, never the run that asked for it."""

from providers.messages import ProviderError, ProviderPaused
from vocabulary.display_names import NamedEnum, pgettext


class SearchFault(NamedEnum):
    """Why a search brought no results to choose from."""

    BUSY = "busy", pgettext("stored word", "too many requests")
    SERVER_ERROR = "server_error", pgettext("stored word", "error of the search server")
    NOT_RESULTS = "not_results", pgettext("stored word", "something else than results")
    EMPTY = "empty", pgettext("stored word", "empty answer")
    TIMEOUT = "timeout", pgettext("stored word", "no answer in time")
    TOO_LARGE = "too_large", pgettext("stored word", "too large")
    UNREACHABLE = "unreachable", pgettext("stored word", "not reachable")
    NO_SOURCE = "no_source", pgettext("stored word", "its sources did not answer")
    TURNED_AWAY = "turned_away", pgettext("stored word", "key or quota not accepted")
    REJECTED = "bad_request", pgettext("stored word", "request not accepted")
    NOT_SET_UP = "not_set_up", pgettext("stored word", "not set up")


def fault_named(error: ProviderError) -> SearchFault:
    """Return the name of a fault. While the circuit breaker is open, it is that of the fault that opened it."""
    if isinstance(error, ProviderPaused) and isinstance(error.__cause__, ProviderError):
        return fault_named(error.__cause__)
    try:
        return SearchFault(error.code)
    except ValueError:
        return SearchFault.SERVER_ERROR
