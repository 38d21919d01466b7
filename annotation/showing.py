"""Which priors stand beside a seat: by the arm of prior display that was drawn for it before anything was shown."""

from django.db.models import QuerySet

from annotation.domain.arms import arm_of
from annotation.domain.words import PriorArm, PriorDisplay
from annotation.models import Prior, Project, Seat


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
    priors = priors_for_people(project).filter(item=seat.item_id, current=True)
    return tuple(priors.select_related("category").order_by("-modality"))


def priors_for_people(project: Project) -> QuerySet[Prior]:
    """The priors annotators may see at all: the built-in baseline's only where an admin switched that on."""
    priors = Prior.objects.all()
    return priors if project.show_keyword_priors else priors.exclude(model__startswith="keyword:")
