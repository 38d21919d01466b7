"""What still fits into an investigation near its limit of steps, so that it always ends with a verdict. Pure."""

from enum import StrEnum


class Action(StrEnum):
    """The kinds of steps of an investigation before its verdict."""

    ASK_FOR_QUERIES = "queries"
    ASK_FOR_URLS = "urls"
    SEARCH = "search"
    SELECT = "select"
    FETCH = "fetch"
    READ = "read"
    WEIGH = "weigh"


_LEADS_ON = {
    Action.ASK_FOR_QUERIES: 4,  # search, select, fetch, read
    Action.ASK_FOR_URLS: 2,
    Action.SEARCH: 3,
    Action.SELECT: 2,
    Action.READ: 0,
    Action.WEIGH: 0,
}
"""The fewest further steps without which a step of this kind brings no evidence."""


def steps_that_fit(action: Action, room: int, unread: int = 0) -> int:
    """Return how many steps of this kind may be taken if `room` steps are left before the verdict.

    `unread` pages are fetched and not read yet. A page is fetched only if at least a part of it can be read too.
    """
    if action is Action.FETCH:
        return max(0, (room - unread) // 2)
    return max(0, room - _LEADS_ON[action])
