"""The second person approves a reply or returns it with a comment; nobody approves their own reply."""

from dataclasses import asdict

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.text_rules import NOTE_LIMIT, read_text
from annotation.models import Membership, record
from generation.counterspeech.claims import take_checks
from generation.counterspeech.replies import CannotDo, findings, keep_text, move
from generation.counterspeech.withdraw import take_the_place
from generation.domain.counterspeech.safety_flags import REASON_LENGTH
from generation.domain.counterspeech.states import OPEN, ReplyState
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exemplar, Reply, ReplyComment


@short_transaction
def approve(reply: Reply, approver: Membership, reason: str = "") -> Reply:
    """Approve a submitted reply and add it to the store of exemplars. A flagged reply needs a written reason.

    The flags are computed again on the present text and its claims. A correction replaces the reply that it corrects.
    Raises CannotDo.
    """
    if reply.author_id == approver.pk:
        raise CannotDo(_("Somebody else has to approve a reply: you wrote this one."))
    stated_reason = reason.strip()
    Reply.objects.select_for_update().get(pk=reply.pk)  # nobody decides about its claims meanwhile
    take_checks(reply.exchange)
    found = findings(reply)
    flags = list(dict.fromkeys(finding.flag.value for finding in found))
    if flags and len(stated_reason) < REASON_LENGTH:
        raise CannotDo(
            _(
                "The reply is flagged. Say in at least %(least)s characters why to approve it despite the "
                "flag, or send it back."
            )
            % {"least": REASON_LENGTH}
        )
    if len(stated_reason) > NOTE_LIMIT:
        raise CannotDo(_("The reason is too long."))
    move(
        reply,
        ReplyState.APPROVED,
        approver=approver,
        approved_at=timezone.now(),
        flags=flags,
        read_marks=[asdict(finding) for finding in found if finding.by],
        override_reason=stated_reason if flags else "",
    )
    keep_text(reply)
    take_the_place(reply)
    join_the_store(reply)
    exchange = reply.exchange
    project, item = exchange.project, exchange.item
    record(GenerationVerb.REPLY_APPROVED, project=project, actor=approver, item=item, row=reply.public_id, flags=flags)
    return reply


@short_transaction
def send_back(reply: Reply, reviewer: Membership, comment: str) -> Reply:
    """Return a submitted reply to its author with a comment on what is missing. Raises CannotDo, BadText."""
    if reply.author_id == reviewer.pk:
        raise CannotDo(_("It is your own reply: take it back instead."))
    said = say(reply, reviewer, comment)
    move(reply, ReplyState.RETURNED)
    submission = keep_text(reply)
    submission.returned_with = said
    submission.save(update_fields=("returned_with",))
    exchange = reply.exchange
    record(
        GenerationVerb.REPLY_RETURNED, project=exchange.project, actor=reviewer, item=exchange.item, row=reply.public_id
    )
    return reply


def say(reply: Reply, author: Membership, text: str) -> ReplyComment:
    """Write a comment on an open reply. Raises BadText, and CannotDo if the reply is decided."""
    if reply.state not in OPEN:
        raise CannotDo(_("The reply is decided: there is nothing more to discuss."))
    return ReplyComment.objects.create(reply=reply, author=author, text=read_text(text, NOTE_LIMIT).strip())


def join_the_store(reply: Reply) -> None:
    """Add an approved reply to the store of exemplars, so that it guides later candidates."""
    exchange, version = reply.exchange, reply.exchange.explanations.first()
    Exemplar.objects.create(
        project=exchange.project,
        external_id=str(reply.public_id),
        hate=exchange.hate or exchange.description,
        intent=reply.intent,
        registers=reply.registers,
        text=reply.text,
        explanations={name.value: explanation for name, explanation in version.by_name().items()} if version else {},
        reply=reply,
    )
