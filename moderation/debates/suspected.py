"""Where something stands that looks like an order to a model: in the post, or in what certain steps read."""

from collections.abc import Sequence

from django.utils.translation import gettext

from moderation.debates.order_readings import reading_of
from moderation.debates.progress import words_of
from providers.search.steps import FETCHER, SEARCHER
from runs.domain.states import Flag
from runs.models import Run, Turn


def suspected_places(run: Run, turns: Sequence[Turn]) -> list[str]:
    """Return the places in words: the post if every question was suspect, else what the suspect steps read.

    Empty if there is none. The post stands in every question, so a step alone is suspect for what else it was shown.
    """
    asked = [turn for turn in turns if turn.role not in (SEARCHER, FETCHER)]
    suspect = [turn.key for turn in asked if Flag.INJECTION_SUSPECTED in turn.flags]
    if suspect and len(suspect) == len(asked):
        return [gettext("The post, or the words or the description of its picture")]
    return [*(read_places(run) if asked else []), *_steps(run, turns, suspect)]


def read_places(run: Run) -> list[str]:
    """Return the post if the reader reads an order in it, with whom that speaks to."""
    reading = reading_of(run.project, run.subject)
    if reading is None or not reading.order:
        return []
    if reading.addressed:
        words = gettext("The post, as %(model)s reads it; it speaks to “%(whom)s”")
        return [words % {"model": reading.by, "whom": reading.addressed}]
    return [gettext("The post, as %(model)s reads it") % {"model": reading.by}]


def _steps(run: Run, turns: Sequence[Turn], suspect: Sequence[str]) -> list[str]:
    """Return what the suspect steps read, in words."""
    steps = [(gettext(step.what), step.about) for step in words_of(run, turns, suspect)]
    return [f"{what}: {about}" if about else what for what, about in steps]
