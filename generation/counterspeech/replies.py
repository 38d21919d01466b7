"""Replies from their beginning to submission: begun, written, submitted, taken back or discarded."""

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.text_rules import read_optional_text
from annotation.models import Membership, record
from annotation.pages.error_messages import SENTENCES
from generation.domain.counterspeech.explanations import MOST_CHARACTERS, Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import MOST_REPLY
from generation.domain.counterspeech.safety_flags import Flag, FlaggedWords, in_numbers, in_wording
from generation.domain.counterspeech.states import MOVES, WRITABLE, ReplyState
from generation.domain.event_verbs import GenerationVerb
from generation.methods.counterspeech.candidates import forbidden
from generation.methods.counterspeech.score import digest
from generation.models import Candidate, Exchange, Explanations, Reply


class CannotDo(ValueError):
    """A step with a reply is refused; the message says why, and nothing was changed."""


class SomebodyWasFirst(CannotDo):
    """The reply or the explanations changed since they were read."""


@short_transaction
def begin(exchange: Exchange, author: Membership, intent: Intent, candidate: Candidate | None = None) -> Reply:
    """Begin a draft for the author, with the candidate's text and scores, or empty.

    Returns the existing draft if the author has begun one from the same candidate and not changed it.
    """
    drafts = Reply.objects.filter(exchange=exchange, author=author, candidate=candidate, state=ReplyState.DRAFT)
    text = candidate.text if candidate else ""
    if (same := drafts.filter(text=text, intent=intent).first()) is not None:
        return same
    reply = Reply(exchange=exchange, author=author, intent=intent, candidate=candidate, text=text)
    if candidate is not None:
        for name in ("pc", "aq", "t", "reward", "seen_intent", "critics"):
            setattr(reply, name, getattr(candidate, name))
        reply.scored_sha256 = digest(text) if candidate.reward is not None else ""
    reply.save()
    record(GenerationVerb.REPLY_BEGUN, project=exchange.project, actor=author, item=exchange.item, row=reply.public_id)
    return reply


@short_transaction
def write(reply: Reply, author: Membership, text: str, intent: Intent, version: int) -> Reply:
    """Store the author's text. The scores stay until critics have scored the new text.

    Raises CannotDo if somebody else wrote the reply, SomebodyWasFirst if the version is stale or the reply is closed,
    and BadText.
    """
    new_text = read_optional_text(text.replace("\r\n", "\n"), MOST_REPLY).strip()
    if reply.author_id != author.pk:
        raise CannotDo(_("Only the author can edit this reply."))
    if (new_text, intent) == (reply.text, reply.intent):
        return reply
    changed = Reply.objects.filter(pk=reply.pk, version=version, state__in=WRITABLE).update(
        text=new_text, intent=intent, version=F("version") + 1, changed_at=timezone.now()
    )
    if not changed:
        raise SomebodyWasFirst(_("The reply changed in another window, or was submitted. Your text is still here."))
    reply.refresh_from_db()
    return reply


@short_transaction
def submit(reply: Reply, author: Membership) -> None:
    """Hand a reply in for approval by a second person. Raises CannotDo."""
    if reply.author_id != author.pk:
        raise CannotDo(_("Only the author can submit a reply."))
    if not reply.text.strip():
        raise CannotDo(_("There is nothing to submit yet: write the reply first."))
    move(reply, ReplyState.SUBMITTED, submitted_at=timezone.now())
    record(GenerationVerb.REPLY_SUBMITTED, project=reply.exchange.project, actor=author, item=reply.exchange.item,
           row=reply.public_id)  # fmt: skip


@short_transaction
def take_back(reply: Reply, author: Membership) -> None:
    """Make a submitted reply a draft again, if nobody has approved or returned it yet. Raises CannotDo."""
    if reply.author_id != author.pk:
        raise CannotDo(_("Only the author can take a reply back."))
    move(reply, ReplyState.DRAFT)
    record(GenerationVerb.REPLY_TAKEN_BACK, project=reply.exchange.project, actor=author, item=reply.exchange.item,
           row=reply.public_id)  # fmt: skip


@short_transaction
def discard(reply: Reply, author: Membership) -> None:
    """Delete a draft that was never handed in. Raises CannotDo for any other reply."""
    drafts = Reply.objects.filter(pk=reply.pk, author=author, state=ReplyState.DRAFT, submitted_at=None)
    if not drafts.exists():
        raise CannotDo(_("You can discard only a draft of your own that was never submitted."))
    drafts.delete()
    record(GenerationVerb.REPLY_DISCARDED, project=reply.exchange.project, actor=author, item=reply.exchange.item,
           row=reply.public_id)  # fmt: skip


def move(reply: Reply, end: ReplyState, **fields: object) -> None:
    """Move a reply to another state by a guarded UPDATE.

    Raises CannotDo if the move is not permitted, SomebodyWasFirst if the reply changed since it was read.
    """
    start = ReplyState(reply.state)
    if (start, end) not in MOVES:
        raise CannotDo(_("That is not possible: the state of the reply has changed."))
    unchanged = Reply.objects.filter(pk=reply.pk, state=start, version=reply.version)
    if not unchanged.update(state=end, version=F("version") + 1, changed_at=timezone.now(), **fields):
        raise SomebodyWasFirst(_("Somebody else changed the reply first. Check it again."))
    reply.refresh_from_db()


def findings(reply: Reply) -> list[FlaggedWords]:
    """Return the flags that need a reason before the reply is approved, with the words that raised them."""
    flagged = in_wording(reply.text, forbidden(reply.exchange, reply.exchange.explanations.first()))
    if not is_scored(reply):
        return [*flagged, FlaggedWords(Flag.NOT_SCORED)]
    return [*flagged, *in_numbers(reply.pc, reply.t)]


def is_scored(reply: Reply) -> bool:
    """Return whether stance and toxicity of exactly this text are known."""
    return reply.scored_sha256 == digest(reply.text) and reply.pc is not None and reply.t is not None


@short_transaction
def keep_explanations(
    exchange: Exchange, author: Membership, texts: dict[Explanation, str], insults: list[str], number: int
) -> Explanations | None:
    """Add a person's version of the explanations.

    Returns None if nothing differs from the version that it was made from. Raises SomebodyWasFirst if there is a newer
    version, and CannotDo if an explanation is too long or holds a NUL character.
    """
    locked = Exchange.objects.select_for_update().get(pk=exchange.pk)
    last = locked.explanations.first()
    if (last.number if last else 0) != number:
        raise SomebodyWasFirst(
            _("There is a newer version of the explanations. Your version is still here: compare them.")
        )
    cleaned = {name: texts.get(name, "").replace("\r\n", "\n").strip() for name in Explanation}
    if any(len(text) > MOST_CHARACTERS for text in cleaned.values()):
        raise CannotDo(_("An explanation has at most %(most)s characters.") % {"most": MOST_CHARACTERS})
    words = [word.strip()[:120] for word in insults if word.strip()][:30]
    if any("\x00" in text for text in (*cleaned.values(), *words)):  # PostgreSQL stores none
        raise CannotDo(str(SENTENCES["nul_character"]))
    if last is not None and words == last.insults and all(getattr(last, name) == cleaned[name] for name in Explanation):
        return None
    new_version = Explanations.objects.create(
        exchange=locked,
        number=number + 1,
        author=author,
        insults=words,
        **{name.value: cleaned[name] for name in cleaned},
    )
    record(GenerationVerb.EXPLANATIONS_WRITTEN, project=exchange.project, actor=author, item=exchange.item,
           row=exchange.public_id, number=new_version.number)  # fmt: skip
    return new_version
