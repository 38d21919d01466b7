"""Replies from their beginning to submission: begun, written, submitted, taken back or discarded."""

from collections.abc import Collection

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.text_rules import read_optional_text
from annotation.models import Membership, record
from annotation.pages.error_messages import SENTENCES
from generation.counterspeech.claims import Claims, claims_of, keep_claims
from generation.domain.counterspeech.claim_states import own_words
from generation.domain.counterspeech.explanations import MOST_CHARACTERS, MOST_INSULT, MOST_INSULTS, Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import MOST_REPLY
from generation.domain.counterspeech.registers import Register, in_order
from generation.domain.counterspeech.safety_flags import Flag, FlaggedWords, in_claims, in_numbers, in_wording
from generation.domain.counterspeech.states import MOVES, WRITABLE, ReplyState
from generation.domain.counterspeech.writing_time import seconds_between
from generation.domain.event_verbs import GenerationVerb
from generation.methods.counterspeech.candidates import forbidden
from generation.methods.counterspeech.score import digest
from generation.methods.counterspeech.weighed_marks import by_weight
from generation.models import Candidate, Exchange, Exemplar, Explanations, Reply, Scored, Submission


class CannotDo(ValueError):
    """A step with a reply is refused; the message says why, and nothing was changed."""


class SomebodyWasFirst(CannotDo):
    """The reply or the explanations changed since they were read."""


@short_transaction
def begin(exchange: Exchange, author: Membership, intent: Intent, candidate: Candidate | None = None) -> Reply:
    """Begin a draft for the author, with the candidate's text and scores, or empty.

    Returns the existing draft if the author has begun one from the same candidate and not changed it.
    """
    drafts = Reply.objects.filter(
        exchange=exchange, author=author, candidate=candidate, state=ReplyState.DRAFT, replaces=None
    )
    text = candidate.text if candidate else ""
    if (same := drafts.filter(text=text, intent=intent).first()) is not None:
        return same
    reply = Reply(exchange=exchange, author=author, intent=intent, candidate=candidate, text=text)
    if candidate is not None:
        reply.registers = candidate.registers
        take_scores(reply, candidate)
        reply.scored_sha256 = digest(text)
    reply.save()
    keep_claims(reply)
    record(GenerationVerb.REPLY_BEGUN, project=exchange.project, actor=author, item=exchange.item, row=reply.public_id)
    return reply


SCORES = ("pc", "aq", "t", "reward", "seen_intent", "critics", "read_marks")
"""What critics and the reader say of a text."""


def take_scores(reply: Reply, scored: Scored) -> None:
    """Set what critics said of another row's text, which is this reply's text too."""
    for name in SCORES:
        setattr(reply, name, getattr(scored, name))


@short_transaction
def write(
    reply: Reply,
    author: Membership,
    text: str,
    intent: Intent,
    version: int,
    registers: Collection[Register] | None = None,
) -> Reply:
    """Store the author's text, and its registers unless they are None. The scores stay until critics read the new text.

    The time since the last change counts as work on it (`writing_time`).

    Raises CannotDo if somebody else wrote the reply, SomebodyWasFirst if the version is stale or the reply is closed,
    and BadText.
    """
    new_text = read_optional_text(text.replace("\r\n", "\n"), MOST_REPLY).strip()
    if reply.author_id != author.pk:
        raise CannotDo(_("Only the author can edit this reply."))
    chosen = list(reply.registers if registers is None else in_order(registers))
    if (new_text, intent, chosen) == (reply.text, reply.intent, reply.registers):
        return reply
    now = timezone.now()
    changed = Reply.objects.filter(pk=reply.pk, version=version, state__in=WRITABLE).update(
        text=new_text,
        intent=intent,
        registers=chosen,
        version=F("version") + 1,
        writing_seconds=F("writing_seconds") + seconds_between(reply.changed_at, now),
        changed_at=now,
    )
    if not changed:
        raise SomebodyWasFirst(_("The reply changed in another window, or was submitted. Your text is still here."))
    reply.refresh_from_db()
    keep_claims(reply)
    return reply


@short_transaction
def submit(reply: Reply, author: Membership) -> None:
    """Hand a reply in for approval by a second person. Raises CannotDo."""
    if reply.author_id != author.pk:
        raise CannotDo(_("Only the author can submit a reply."))
    if not reply.text.strip():
        raise CannotDo(_("There is nothing to submit yet: write the reply first."))
    earlier = reply.replaces
    if earlier is not None and (earlier.text, earlier.intent) == (reply.text, reply.intent):
        raise CannotDo(_("The correction says the same as the reply that it corrects: change the text first."))
    move(reply, ReplyState.SUBMITTED, submitted_at=timezone.now())
    keep_text(reply)
    record(GenerationVerb.REPLY_SUBMITTED, project=reply.exchange.project, actor=author, item=reply.exchange.item,
           row=reply.public_id)  # fmt: skip


def keep_text(reply: Reply) -> Submission:
    """Keep the text that is handed in now, in a row of its own. Return that row.

    A text that was taken back and is handed in unchanged has its row already.
    """
    last = reply.submissions.last()
    if last is not None and (last.text, last.intent, last.returned_with_id) == (reply.text, reply.intent, None):
        return last
    return Submission.objects.create(
        reply=reply,
        number=last.number + 1 if last else 1,
        intent=reply.intent,
        text=reply.text,
        submitted_at=reply.submitted_at or timezone.now(),
    )


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


def refuse_stale(reply: Reply, version: int) -> None:
    """Raise SomebodyWasFirst if the reply is not the version that somebody read."""
    if reply.version != version:
        raise SomebodyWasFirst(_("Somebody else changed the reply first. Check it again."))


def findings(reply: Reply, known: Claims | None = None) -> list[FlaggedWords]:
    """Return the flags that need a reason before the reply is approved, with the words that raised them.

    `known`: its claims, if they were read already.
    """
    claims = known or claims_of(reply)
    by_rules = in_wording(
        reply.text,
        forbidden(reply.exchange, reply.exchange.explanations.first()),
        post=reply.exchange.hate,
        listed=claims.listed,
        opened=[card.url for card in claims.cards.values()],
    )
    flagged = [
        *by_rules,
        *_beside(reply, own_words(reply.text, claims.listed), {finding.flag for finding in by_rules}),
        *in_claims({claim.sentence: claim.state for claim in claims.stated}),
        *([FlaggedWords(Flag.COPIED)] if _is_copied(reply) else []),
    ]
    if not is_scored(reply):
        return [*flagged, FlaggedWords(Flag.NOT_SCORED)]
    is_misread = reply.conforms is False
    return [*flagged, *in_numbers(reply.pc, reply.t), *([FlaggedWords(Flag.OTHER_INTENT)] if is_misread else [])]


def _beside(reply: Reply, text: str, raised: Collection[Flag]) -> list[FlaggedWords]:
    """Return the marks that no rule raises: by the weight of its words, and by the reader of exactly this text."""
    weighed = by_weight(text, raised)
    known = {*raised, *(finding.flag for finding in weighed)}
    read = reply.read_marks if reply.scored_sha256 == digest(reply.text) else ()
    return [
        *weighed,
        *(FlaggedWords(**{**mark, "flag": Flag(mark["flag"])}) for mark in read if mark["flag"] not in known),
    ]


def _is_copied(reply: Reply) -> bool:
    """Return whether another reply in the store of exemplars has the same text, apart from case."""
    stored = Exemplar.objects.filter(project=reply.exchange.project_id, text__iexact=reply.text)
    own = [key for key in (reply.pk, reply.replaces_id) if key is not None]
    return bool(reply.text) and stored.exclude(reply__in=own).exists()


def is_scored(reply: Reply) -> bool:
    """Return whether stance and toxicity of exactly this text are known."""
    return reply.scored_sha256 == digest(reply.text) and reply.pc is not None and reply.t is not None


@short_transaction
def keep_explanations(
    exchange: Exchange, author: Membership, texts: dict[Explanation, str], insults: list[str], number: int
) -> Explanations | None:
    """Add a person's version of the explanations.

    Returns None if nothing differs from the version that it was made from. Raises SomebodyWasFirst if there is a newer
    version, and CannotDo if an explanation is too long or holds a NUL character, or there are too many insults.
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
    words = [word.strip() for word in insults if word.strip()]
    if len(words) > MOST_INSULTS or any(len(word) > MOST_INSULT for word in words):
        most = {"most": MOST_INSULTS, "characters": MOST_INSULT}
        raise CannotDo(_("At most %(most)s words that replies must not use, of %(characters)s characters each.") % most)
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
