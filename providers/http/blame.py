"""Who is at fault where a model server gave no answer. It decides what stops: nothing, a run, a model, a provider."""

import re
from dataclasses import dataclass
from enum import StrEnum

from providers.http import fault_words as words
from providers.http.stated_fault import StatedFault

_READ = 600
_PASSING_STATUS = {408, 409, 425, 429}
_ACCOUNT_STATUS = {401, 402, 407}
_UNSUPPORTED_STATUS = 501
_WRONG_METHOD, _ABSENT, _GONE, _FORBIDDEN, _FUNDS = 405, 404, 410, 403, 402


class Blame(StrEnum):
    """Whose fault it is."""

    CONTENT = "content"
    """A filter stopped the content: this run is refused."""
    ACCOUNT = "account"
    """The key, the money or the place of the account: nobody is served until a person acts."""
    FUNDS = "funds"
    """The account can pay for a shorter answer."""
    MODEL = "model"
    """The account may not use this model; others may be."""
    UNKNOWN = "unknown"
    """The server has no such model."""
    UNCLEAR = "unclear"
    """The account or this request: only another request can tell."""
    TURNED_BACK = "turned_back"
    """Something in front of the server, such as a firewall, did not let this request through."""
    REQUEST = "request"
    """The request: it will not succeed later."""
    ADDRESS = "address"
    """There is no model server at this path."""
    PASSING = "passing"
    """The server, for now."""
    SERVER = "server"
    """The server: it says that all is well, and gives no answer."""


@dataclass(frozen=True)
class Asked:
    """What was asked for: the model's name at its server, and the most tokens of the answer (0: not known)."""

    model: str = ""
    tokens: int = 0


def blame_of(status: int, fault: StatedFault, asked: Asked) -> Blame:
    """Return who is at fault, by the status and what the server says. With status 200 its words alone tell."""
    said = fault.sentence[:_READ].lower()
    if status < 400:
        return _inside_success(fault, said, asked)
    if _is_filtered(status, fault, said):
        return Blame.CONTENT
    if status == _FUNDS and 0 < affordable_tokens(fault) < (asked.tokens or 10**9):
        return Blame.FUNDS
    if status < 500 and _may_not_be_used(status, fault, said, asked):
        return Blame.MODEL
    if _is_account(status, fault, said):
        return Blame.ACCOUNT
    if _is_too_long(status, said):
        return Blame.REQUEST
    if status >= 500 and (blame := _of_absent_model(fault, said)):
        return blame
    if _passes(status, fault, said):
        return Blame.PASSING
    if status >= 500:
        return Blame.REQUEST
    return _of_rejection(status, fault, said, asked)


def affordable_tokens(fault: StatedFault) -> int:
    """Return the tokens that a server says the account can pay for; 0 if it names no number."""
    number = words.AFFORDABLE.search(fault.sentence[:_READ].lower())
    return int(number[1]) if number else 0


def names_place(fault: StatedFault) -> bool:
    """Return whether the fault tells that this country or region is not served."""
    return words.REGION.search(f"{fault.sentence[:_READ]} {' '.join(fault.codes)}".lower()) is not None


def names_model(fault: StatedFault, asked: Asked) -> bool:
    """Return whether the fault tells of the model that was asked."""
    said = fault.sentence[:_READ].lower()
    if words.TRIES_AGAIN_WITHOUT_MODEL.search(said):
        return False
    is_coded = any(code in words.MODEL_CODES for code in fault.codes)
    return is_coded or _says_name(said, asked) or words.MENTIONS_MODEL.search(said) is not None


def _inside_success(fault: StatedFault, said: str, asked: Asked) -> Blame:
    if (stated := fault.status) is not None:
        return blame_of(stated, fault, asked)
    if _is_filtered(400, fault, said):
        return Blame.CONTENT
    if fault.is_page:
        return Blame.PASSING
    if words.TRIES_AGAIN_WITHOUT_MODEL.search(said):
        return Blame.ADDRESS
    if _is_account(400, fault, said):
        return Blame.ACCOUNT
    if _passes(400, fault, said) or words.BUSY.search(said):
        return Blame.PASSING
    if any(code in words.MODEL_CODES for code in fault.codes) or words.MODEL.search(said):
        return Blame.UNKNOWN
    return Blame.REQUEST if words.TOO_LONG.search(said) else Blame.SERVER


def _is_filtered(status: int, fault: StatedFault, said: str) -> bool:
    if any(words.is_filter_code(code) for code in fault.codes) or fault.reasons:
        return True
    return status < 500 and not fault.is_page and words.FILTER_SENTENCES.search(said) is not None


def _may_not_be_used(status: int, fault: StatedFault, said: str, asked: Asked) -> bool:
    """Return whether the account has no access to the model. Where the model does not exist, the setting is wrong."""
    if fault.is_page or (status not in (401, _FORBIDDEN) and "allocationquota.freetieronly" not in fault.codes):
        return False
    is_named = words.MODEL.search(said) is not None or (status == _FORBIDDEN and _says_name(said, asked))
    return any(code in words.MODEL_CODES for code in fault.codes) or is_named


def _of_absent_model(fault: StatedFault, said: str) -> Blame | None:
    """Return who is at fault where a server says with a status of its own faults that it never serves the model.

    Returns None where it says nothing of that, or names a later time.
    """
    if fault.is_page or words.LATER.search(said):
        return None
    if words.GONE_MODEL.search(said):
        return Blame.UNKNOWN
    if words.CLOSED_MODEL.search(said):
        return Blame.MODEL
    return Blame.UNKNOWN if any(code in words.MODEL_CODES for code in fault.codes) else None


def _says_name(said: str, asked: Asked) -> bool:
    name = asked.model.lower()
    return len(name) > 2 and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", said) is not None


def _is_account(status: int, fault: StatedFault, said: str) -> bool:
    if any(code in words.ACCOUNT_CODES for code in fault.codes) or status in _ACCOUNT_STATUS:
        return True
    if fault.is_page or status >= 500:
        return False
    if words.FUNDS.search(said) or words.PLACE.search(said):
        return True
    if status == 429:
        return False
    is_told_as_such = status == _FORBIDDEN and words.RATE.search(said) is None and words.ACCOUNT.search(said)
    return bool(words.KEY.search(said) or is_told_as_such)


def _is_too_long(status: int, said: str) -> bool:
    """Return whether the prompt is too long, which some say with a status of their own faults, and limits of rates."""
    if status == 429 or words.RATE.search(said):
        return "request too large" in said
    return words.TOO_LONG.search(said) is not None


def _passes(status: int, fault: StatedFault, said: str) -> bool:
    if status == _UNSUPPORTED_STATUS or (status == 500 and words.UNSUPPORTED.search(said)):
        return False
    if status in _PASSING_STATUS or status >= 500:
        return True
    return any(words.is_busy_code(code) for code in fault.codes) or (
        status == _FORBIDDEN and words.RATE.search(said) is not None
    )


def _of_rejection(status: int, fault: StatedFault, said: str, asked: Asked) -> Blame:
    is_blocked = words.TURNED_BACK.search(said) is not None
    if status in (_ABSENT, _GONE) or (status == _WRONG_METHOD and not is_blocked):
        return Blame.UNKNOWN if names_model(fault, asked) else Blame.ADDRESS
    if fault.is_page or (is_blocked and status in (_FORBIDDEN, _WRONG_METHOD, 406, 418, 451)):
        return Blame.TURNED_BACK
    if status == _FORBIDDEN:
        return Blame.UNCLEAR
    is_unknown = any(code in words.MODEL_CODES for code in fault.codes) or words.UNKNOWN_MODEL.search(said)
    return Blame.UNKNOWN if is_unknown else Blame.REQUEST
