"""Training items for an annotator: the active ones, without content that they opted out of."""

from annotation.domain.choices import PriorState, Stage
from annotation.models import KnownAnswer, Membership, OptOut, Prior


def training_items(member: Membership) -> list[KnownAnswer]:
    """Return the training items that the member may be shown, each with its item, picture and category."""
    known_answers = (
        KnownAnswer.objects.filter(item__project=member.project_id, item__stage=Stage.KNOWN, training=True, active=True)
        .filter(item__picture_missing=False)
        .select_related("item__picture", "category")
    )
    return _wanted(list(known_answers), member)


def needs_training(member: Membership) -> bool:
    """Whether the member has to pass a training before labelling, and it has items for them."""
    project = member.project
    return project.training_required and member.trained_at is None and bool(training_items(member))


def _wanted(known_answers: list[KnownAnswer], member: Membership) -> list[KnownAnswer]:
    """Return the items without content that the member opted out of, by category, target group or severity."""
    rows = OptOut.objects.filter(member=member, ended_at__isnull=True)
    opt_outs = list(rows.values_list("category_id", "category__code", "target_group", "severity"))
    if not opt_outs or not known_answers:
        return known_answers
    categories = {category for category, _, _, _ in opt_outs if category is not None}
    codes = {code for _, code, _, _ in opt_outs if code is not None}
    groups = {group.strip().casefold() for _, _, group, _ in opt_outs if group}
    band = min((severity for _, _, _, severity in opt_outs if severity is not None), default=None)
    priors = Prior.objects.filter(
        item__in=[known_answer.item_id for known_answer in known_answers], current=True, state=PriorState.OK
    )
    by_prior = set(priors.filter(category__in=categories).values_list("item_id", flat=True))
    return [
        known_answer
        for known_answer in known_answers
        if known_answer.item_id not in by_prior
        and not {known_answer.category_id, known_answer.item.intended_id} & categories
        and codes.isdisjoint((*known_answer.categories, *known_answer.item.intended_categories))
        and known_answer.item.target_group.strip().casefold() not in groups
        and (band is None or known_answer.item.severity is None or known_answer.item.severity < band)
    ]
