"""A person decides about a sample: accepted, it becomes an item; rejected, it stays in the log with the reason.

Whoever looked at a sample knows what it was meant to be, so that person is never asked to label it.
"""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.formats.base import Row, RowPrior
from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_text
from annotation.imports import from_apps
from annotation.models import Item, Membership, Skip, record
from generation.domain.event_verbs import GenerationVerb
from generation.domain.injection.placeholder import INSULT, filled
from generation.domain.injection.states import DECIDABLE, SampleState
from generation.injection import settings
from generation.injection.material import words_for
from generation.methods.injection.duplicates import told_before
from generation.models import Sample

SEEN = "Looked at it as a sample."


class CannotDecide(ValueError):
    """A decision is refused; the message says why, and nothing was changed."""

    code = "not_decidable"


class ToldBefore(CannotDecide):
    """The project now has almost the same text, so the sample became a duplicate."""

    code = "duplicate"


def accept(sample: Sample, member: Membership) -> Item:
    """Turn a waiting sample into an item. Its placeholders are filled if the lexicon has words for the group.

    Raises InjectionOff, CannotDecide, ToldBefore.
    """
    settings.require_on(member.project)
    from_apps.prepare(member.project, sample.batch.item_batch)
    if twin := told_before(member.project, sample.text, but=sample):
        _turn_out_a_double(sample, member, twin)
        raise ToldBefore(_("Not accepted: %(twin)s It is kept as a duplicate.") % {"twin": twin})
    item = _accept(sample, member)
    from_apps.settle(member.project, sample.batch.item_batch, member)
    return item


@short_transaction
def reject(sample: Sample, member: Membership, reason: str) -> None:
    """Reject a waiting or held sample. Raises InjectionOff, and CannotDecide also for a missing reason."""
    settings.require_on(member.project)
    try:
        stated_reason = read_text(reason, NOTE_LIMIT).strip()
    except BadText as bad:
        raise CannotDecide(_("Say why it is rejected: %(why)s") % {"why": bad.sentence}) from None
    _decide(sample, member, SampleState.REJECTED, reason=stated_reason)
    record(GenerationVerb.SAMPLE_REJECTED, project=member.project, actor=member, row=sample.public_id)


def look_at(sample: Sample, member: Membership) -> None:
    """Record that a member who also annotates has seen the sample, so that they are not asked to label it."""
    if member.annotates:
        sample.seen_by.add(member)


@short_transaction
def _accept(sample: Sample, member: Membership) -> Item:
    words = words_for(member.project, sample.target_group)
    text = filled(sample.text, words, sample.seed)
    places = sample.text.count(INSULT) if words else 0
    _decide(sample, member, SampleState.ACCEPTED, filled_with=places)
    picture = sample.pool_picture.picture
    [item] = from_apps.take_in(member.project, [(_row(sample, text), picture)], member)
    Sample.objects.filter(pk=sample.pk).update(item=item)
    viewers = sample.seen_by.all()
    Skip.objects.bulk_create([Skip(item=item, annotator=viewer, reason=SEEN) for viewer in viewers])
    record(
        GenerationVerb.SAMPLE_ACCEPTED,
        project=member.project,
        actor=member,
        item=item,
        row=sample.public_id,
        filled=places,
    )
    sample.refresh_from_db()
    return item


def _row(sample: Sample, text: str) -> Row:
    pool_picture = sample.pool_picture
    assert pool_picture.category is not None  # samples are drawn only from pictures with a prior
    about = {name: getattr(pool_picture, name) for name in ("explanation", "model", "severity")}
    prior = RowPrior(str(pool_picture.category.code), about)
    return Row(
        line=1,
        external_id=external_id_of(sample),
        text=text,
        picture=pool_picture.name or f"{pool_picture.public_id}",
        intended=str(sample.intended.code),
        about={
            "batch": sample.batch.item_batch,
            "target_group": sample.target_group,
            "source": pool_picture.pool.source,
            "licence": pool_picture.licence_in_force,
        },
        image_prior=prior,
        injected=provenance(sample),
    )


def external_id_of(sample: Sample) -> str:
    """Return the external id of the sample's item; it does not show that a model wrote the item."""
    return f"s-{sample.public_id.hex[:12]}"


def provenance(sample: Sample) -> Mapping[str, Any]:
    """Return how an injected item was made, as its row and its release keep it; without words of the lexicon."""
    return {
        "strategy": sample.strategy,
        "pattern": sample.pattern,
        "model": sample.model,
        "prompt_digest": sample.prompt_digest,
        "seed": sample.seed,
        "sample": str(sample.public_id),
        "run": str(sample.run_id) if sample.run_id else None,
        "pool": sample.pool_picture.pool.name,
    }


@short_transaction
def _turn_out_a_double(sample: Sample, member: Membership, twin: str) -> None:
    waiting = Sample.objects.filter(pk=sample.pk, state=SampleState.WAITING)
    if waiting.update(state=SampleState.DUPLICATE, detail=twin[:500]):
        record(GenerationVerb.SAMPLE_DOUBLED, project=member.project, actor=member, row=sample.public_id)


def _decide(sample: Sample, member: Membership, end: SampleState, **fields: Any) -> None:
    look_at(sample, member)
    decidable = Sample.objects.filter(pk=sample.pk, state__in=DECIDABLE[end])
    if not decidable.update(state=end, decided_by=member, decided_at=timezone.now(), **fields):
        sample.refresh_from_db()
        if sample.state == SampleState.HELD:
            raise CannotDecide(_("A guard rail holds this sample back: it can only be rejected."))
        raise CannotDecide(_("Somebody else has already decided this sample. Here is the next one."))
    sample.refresh_from_db()
