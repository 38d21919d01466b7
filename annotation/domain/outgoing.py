"""Rules of what leaves the site by itself: which happenings are told, when a failure is tried again, signatures."""

import hashlib
import hmac
from datetime import timedelta
from enum import StrEnum

MOST_ATTEMPTS = 6
"""How often one message is tried."""
MOST_FAILURES = 12
"""Failures in a row after which a webhook is switched off: two messages that were given up."""
_FIRST, _GROWTH, _LONGEST = timedelta(seconds=30), 4, timedelta(hours=3)


class Happening(StrEnum):
    """What a webhook can be told of."""

    ITEM_CLOSED = "item.closed"
    ITEM_DISPUTED = "item.disputed"
    ITEM_REPORTED = "item.reported"
    RELEASE_MADE = "release.made"
    RELEASE_PUBLISHED = "release.published"
    RUN_ENDED = "run.ended"
    TEST = "test"


class DeliveryState(StrEnum):
    """Whether a message of a webhook arrived."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


class MailKind(StrEnum):
    INVITATION = "invitation"
    ACCESS_ASKED = "access_asked"
    ACCESS_DECIDED = "access_decided"
    ITEM_REPORTED = "item_reported"
    ACCOUNT = "account"  # a link that sets a password or confirms an address
    ACCOUNT_NOTICE = "account_notice"  # the way into the account was changed


class MailState(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    GIVEN_UP = "given_up"  # it could not be sent
    UNWANTED = "unwanted"  # it was for nobody, or nobody asked for it any more


def delay_after(failures: int) -> timedelta:
    """Return how long to wait after so many failures in a row: 30 s, 2 min, 8 min, 32 min, 2 h 8 min, then 3 h."""
    factor: int = _GROWTH ** min(max(failures, 1) - 1, 10)
    return min(_FIRST * factor, _LONGEST)


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the HMAC-SHA256 of `timestamp.body`, in hex."""
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
