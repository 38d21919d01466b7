"""How long somebody worked on a reply, counted as the work of annotators is."""

from datetime import datetime

from annotation.domain.wellbeing.breaks import IDLE, SESSION_GAP


def seconds_between(last: datetime, now: datetime) -> int:
    """Return how many seconds of work lie between two changes of a text.

    At most two minutes count. After half an hour nothing does: a new session begins.
    """
    pause = now - last
    if pause.total_seconds() < 0 or pause >= SESSION_GAP:
        return 0
    return round(min(pause, IDLE).total_seconds())
