"""Which priors stand beside a seat: by the arm of prior display that was drawn for it before anything was shown."""

from datetime import datetime

from django.db.models import QuerySet

from annotation.domain.arms import arm_of
from annotation.domain.words import PriorArm, PriorDisplay
from annotation.models import Prior, Project, Seat
from runs.statements import Statement, slot


def arm_at(project: Project, arm: str) -> PriorArm:
    """The arm that a seat stores; where none was drawn (imported, or held from before) the project's display."""
    return PriorArm(arm) if arm else arm_of(PriorDisplay(project.prior_display))


def first_answer_is_due(project: Project, seat: Seat) -> bool:
    """Whether one's own view comes first here, and was not given yet."""
    return arm_at(project, seat.prior_arm) is PriorArm.HIDDEN and seat.first_answer is None


def visible_priors(project: Project, seat: Seat) -> tuple[Prior, ...]:
    """The priors that may be shown beside this seat now, text before picture; none while hidden, or withheld."""
    if arm_at(project, seat.prior_arm) is PriorArm.WITHHELD or first_answer_is_due(project, seat):
        return ()
    return tuple(_CURRENT[project.show_keyword_priors].rows(item=seat.item_id))


def priors_by(project: Project, seat: Seat, then: datetime) -> list[Prior]:
    """The priors of the seat's item that were there at that time and that people may see, oldest first."""
    return _BY_THEN[project.show_keyword_priors].rows(item=seat.item_id, then=then)


def priors_for_people(project: Project) -> QuerySet[Prior]:
    """The priors annotators may see at all: the built-in baseline's only where an admin switched that on."""
    return _for_people(keyword=project.show_keyword_priors)


def _for_people(*, keyword: bool) -> QuerySet[Prior]:
    return Prior.objects.all() if keyword else Prior.objects.exclude(model__startswith="keyword:")


# Behind every post and every answer, so they are built once.
_CURRENT = {
    keyword: Statement(
        _for_people(keyword=keyword)
        .filter(item=slot("item"), current=True)
        .select_related("category")
        .order_by("-modality")
    )
    for keyword in (True, False)
}
_BY_THEN = {
    keyword: Statement(
        _for_people(keyword=keyword)
        .filter(item=slot("item"), created_at__lte=slot("then", Prior._meta.get_field("created_at")))
        .order_by("created_at", "pk")
    )
    for keyword in (True, False)
}
