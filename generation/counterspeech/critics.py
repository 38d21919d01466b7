"""Critics are asked about the present text of a reply."""

from annotation.models import Membership
from generation.counterspeech import request
from generation.counterspeech.replies import SCORES, is_scored
from generation.models import Reply


def ask_critics(reply: Reply, member: Membership, *, again: bool = False) -> None:
    """Ask critics about the reply's present text, unless they know it. Raises BadChoice, BudgetExceeded."""
    if not reply.text.strip() or is_scored(reply):
        return
    request.score(reply.exchange, reply.text, member, again=again)
    reply.refresh_from_db(fields=[*SCORES, "scored_sha256"])
