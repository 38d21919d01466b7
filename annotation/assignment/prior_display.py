"""Priors that an annotator may see at a seat, by the arm of prior display drawn before anything was shown.

Hidden priors open after the annotator's own first answer. It is asked for only where something may open: a prior or
words of the picture that were there when the post was shown, or that the project waits for, or the glossary. Where it
is not asked for, nothing opens later either, so what is stored of such a label stays true.
"""

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from annotation.domain.choices import PictureReader, PriorArm, PriorDisplay
from annotation.domain.priors.arms import arm_of
from annotation.models import PictureText, Prior, Project, Seat
from runs.sql.compiled_queries import CompiledQuery, slot

CLOCK_TOLERANCE = timedelta(seconds=1)
"""How far the database's clock may be behind ours where a row's age is compared with a time of a seat."""


def arm_in_force(project: Project, arm: str) -> PriorArm:
    """Return the arm stored with a seat; the project's display where none was drawn (imported or older seats)."""
    return PriorArm(arm) if arm else arm_of(PriorDisplay(project.prior_display))


def first_answer_is_due(project: Project, seat: Seat) -> bool:
    """Whether something is hidden until the annotator's own first answer, and it was not given yet."""
    return _is_hidden(project, seat) and _may_open(project, seat)


def _is_hidden(project: Project, seat: Seat) -> bool:
    return arm_in_force(project, seat.prior_arm) is PriorArm.HIDDEN and seat.first_answer is None


def _may_open(project: Project, seat: Seat) -> bool:
    """Whether a first answer opens anything, as it stood when the post was shown."""
    if project.priors_wanted or project.glossary_for_annotators:
        return True
    then = (seat.shown_at or timezone.now()) + CLOCK_TOLERANCE
    return bool(priors_seen_at(project, seat, then)) or _words_may_open(project, seat, then)


def _words_may_open(project: Project, seat: Seat, then: datetime) -> bool:
    """Whether the picture has words that the annotator may see, or may still be read."""
    if not project.picture_text_for_annotators or seat.item.picture_id is None:
        return False
    read = PictureText.objects.filter(item=seat.item_id, created_at__lte=then).order_by("-created_at").first()
    return project.picture_reader != PictureReader.NONE if read is None else bool(read.text)


def visible_priors(project: Project, seat: Seat) -> tuple[Prior, ...]:
    """Return the priors that may be shown at this seat now, text before picture; none while hidden or withheld."""
    if arm_in_force(project, seat.prior_arm) is PriorArm.WITHHELD or _is_hidden(project, seat):
        return ()
    return tuple(_CURRENT[project.show_keyword_priors].rows(item=seat.item_id))


def visible_picture_text(project: Project, seat: Seat) -> PictureText | None:
    """Return the words in the picture if the project shows them: they are a prior of a kind, so where priors are.

    Returns None while priors are hidden or withheld, and if there are no words.
    """
    if not project.picture_text_for_annotators or arm_in_force(project, seat.prior_arm) is PriorArm.WITHHELD:
        return None
    if _is_hidden(project, seat):
        return None
    return PictureText.objects.filter(item=seat.item_id, current=True).exclude(text="").first()


def priors_seen_at(project: Project, seat: Seat, then: datetime) -> list[Prior]:
    """Return the priors of the seat's item that existed at that time and that people may see, oldest first."""
    return _BY_THEN[project.show_keyword_priors].rows(item=seat.item_id, then=then)


def priors_for_people(project: Project) -> QuerySet[Prior]:
    """Return the priors that annotators may see at all; those of the built-in baseline only if an admin allowed it."""
    return _for_people(keyword=project.show_keyword_priors)


def _for_people(*, keyword: bool) -> QuerySet[Prior]:
    return Prior.objects.all() if keyword else Prior.objects.exclude(model__startswith="keyword:")


# Behind every post and every answer, so they are built once.
_CURRENT = {
    keyword: CompiledQuery(
        _for_people(keyword=keyword)
        .filter(item=slot("item"), current=True)
        .select_related("category")
        .order_by("-modality")
    )
    for keyword in (True, False)
}
_BY_THEN = {
    keyword: CompiledQuery(
        _for_people(keyword=keyword)
        .filter(item=slot("item"), created_at__lte=slot("then", Prior._meta.get_field("created_at")))
        .order_by("created_at", "pk")
    )
    for keyword in (True, False)
}
