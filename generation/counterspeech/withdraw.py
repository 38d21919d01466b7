"""A reply is withdrawn or corrected, also after its approval, by its author or an admin, with a reason."""

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import read_text
from annotation.models import Membership, record
from generation.counterspeech.claims import keep_claims
from generation.counterspeech.replies import CannotDo, move, take_scores
from generation.domain.counterspeech.states import MOST_REASON, OPEN, ReplyState, may_correct, may_withdraw
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exemplar, Reply


def can_withdraw(reply: Reply, member: Membership) -> bool:
    """Return whether the member may withdraw the reply as it stands."""
    return may_withdraw(ReplyState(reply.state), was_submitted=reply.submitted_at is not None, **_rights(reply, member))


def can_correct(reply: Reply, member: Membership) -> bool:
    """Return whether the member may begin a correction of the reply as it stands."""
    return may_correct(ReplyState(reply.state), **_rights(reply, member))


@short_transaction
def withdraw(reply: Reply, member: Membership, reason: str) -> Reply:
    """Withdraw a reply that was handed in: it leaves the store of exemplars and every file, and stays readable.

    Raises BadText if the reason is not one line of text, CannotDo.
    """
    stated_reason = _read_reason(reason)
    if not can_withdraw(reply, member):
        raise CannotDo(_("Only its author or an admin can withdraw a reply, and only one that was handed in."))
    move(
        reply,
        ReplyState.WITHDRAWN,
        withdrawn_by=member,
        withdrawn_at=timezone.now(),
        withdrawal_reason=stated_reason,
    )
    leave_the_store(reply)
    exchange = reply.exchange
    record(
        GenerationVerb.REPLY_WITHDRAWN, project=exchange.project, actor=member, item=exchange.item, row=reply.public_id
    )
    return reply


@short_transaction
def begin_correction(reply: Reply, member: Membership, reason: str) -> Reply:
    """Begin a draft that replaces an approved reply once somebody else has approved it.

    Returns the member's own open correction of the reply, with the new reason, if there is one. Raises BadText if the
    reason is not one line of text, CannotDo.
    """
    stated_reason = _read_reason(reason)
    if not can_correct(reply, member):
        raise CannotDo(_("Only its author or an admin can correct a reply, and only one that is approved."))
    if (same := reply.corrections.filter(author=member, state__in=OPEN).first()) is not None:
        Reply.objects.filter(pk=same.pk).update(correction_reason=stated_reason)
        same.correction_reason = stated_reason
        return same
    exchange = reply.exchange
    correction = Reply(
        exchange=exchange,
        author=member,
        intent=reply.intent,
        registers=reply.registers,
        candidate=reply.candidate,
        text=reply.text,
        scored_sha256=reply.scored_sha256,
        replaces=reply,
        correction_reason=stated_reason,
    )
    take_scores(correction, reply)
    correction.save()
    keep_claims(correction, like=reply)
    record(GenerationVerb.REPLY_BEGUN, project=exchange.project, actor=member, item=exchange.item,
           row=correction.public_id, corrects=str(reply.public_id))  # fmt: skip
    return correction


def take_the_place(correction: Reply) -> None:
    """Replace the reply that an approved correction corrects. A withdrawn one stays withdrawn.

    Raises CannotDo if another correction has replaced it, SomebodyWasFirst if it changes at this moment.
    """
    if correction.replaces_id is None:
        return
    earlier = Reply.objects.select_related("exchange__project", "exchange__item").get(pk=correction.replaces_id)
    if earlier.state == ReplyState.REPLACED:
        raise CannotDo(
            _("Another correction has replaced that reply already. Send this one back: the other one can be corrected.")
        )
    if earlier.state == ReplyState.WITHDRAWN:
        return
    move(earlier, ReplyState.REPLACED)
    leave_the_store(earlier)
    exchange = earlier.exchange
    record(GenerationVerb.REPLY_REPLACED, project=exchange.project, actor=correction.approver, item=exchange.item,
           row=earlier.public_id, by=str(correction.public_id))  # fmt: skip


def leave_the_store(reply: Reply) -> None:
    """Take a reply out of the store of exemplars; runs that still wait are not told it either."""
    Exemplar.objects.filter(reply=reply).delete()


def _rights(reply: Reply, member: Membership) -> dict[str, bool]:
    return {"is_author": reply.author_id == member.pk, "is_admin": member.administers}


def _read_reason(reason: str) -> str:
    return read_text(read_line(reason), MOST_REASON)
