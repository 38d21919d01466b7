"""Ask for the words in a project's pictures, by the reader that its settings name, and show how far that is."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotation.core.jobs import JobRefused
from annotation.domain.choices import PictureReader, PriorState, Stage
from annotation.media import reading_process
from annotation.models import Item, Membership, PictureReading, PictureText, Project
from annotation.picture_text import job, method, store
from runs.queue.progress import method_progress


@dataclass(frozen=True)
class ReadingProgress:
    """How far the reading of a project's pictures is, in items with a picture."""

    read: int
    """Items whose words are known, also those without any."""
    with_words: int
    failed: int
    """Items whose picture could not be read."""
    waiting: int
    running: bool
    unread_here: int
    """Pictures that the reader on this machine could not read: a model would take a call for each."""
    no_model: str
    """Why no model can be asked for them, in one sentence; empty if one can."""
    problem: str
    """What hinders the reader, or what became of its last job, in one sentence; empty if nothing is wrong."""

    @property
    def summary(self) -> str:
        """All figures in one sentence."""
        figures = {name: f"{getattr(self, name):,}" for name in ("read", "pictures", "with_words", "waiting", "failed")}
        sentence = _(
            "%(read)s of %(pictures)s read, %(with_words)s with words; %(waiting)s wait, %(failed)s could not be read."
        )
        return sentence % figures

    @property
    def model_may_help(self) -> bool:
        """Whether a model can be asked to read what the reader on this machine could not."""
        return bool(self.unread_here) and not self.no_model

    @property
    def pictures(self) -> int:
        """All items with a picture."""
        return self.read + self.failed + self.waiting


def read_pictures(
    project: Project,
    actor: Membership | None = None,
    *,
    again: bool = False,
    reader: PictureReader | None = None,
    enqueue: bool = True,
) -> PictureReading | None:
    """Have the project's pictures read: the unread ones, or with `again` all that a machine may read.

    `reader` takes the place of the one in the settings. Returns the job; None if a model is asked, by a run for each
    picture.
    Raises JobRefused with the reason why nobody can read them.
    """
    reader = reader or PictureReader(project.picture_reader)
    if sentence := _hindrance(project, reader):
        raise JobRefused("no_reader", sentence)
    if reader is PictureReader.LOCAL:
        return job.order_reading(project, actor, again=again, enqueue=enqueue)
    method.ask_model(project, actor, again=again, enqueue=enqueue)
    return None


def read_new_pictures(project: Project) -> None:
    """Have pictures read that came in, if the project has a reader that works; else they wait."""
    if not _hindrance(project, PictureReader(project.picture_reader)) and store.unread_items(project).exists():
        read_pictures(project)


def reading_progress(project: Project) -> ReadingProgress:
    """Return how far the reading of the project's pictures is."""
    readings = PictureText.objects.filter(item__project=project, current=True).exclude(item__stage=Stage.EXCLUDED)
    counts = readings.aggregate(
        read=Count("pk", filter=Q(state=PriorState.OK)),
        with_words=Count("pk", filter=Q(state=PriorState.OK) & ~Q(text="")),
        failed=Count("pk", filter=~Q(state=PriorState.OK)),
        unread_here=Count("item__picture", filter=~Q(state=PriorState.OK) & Q(run_id=None), distinct=True),
        pictured=Count("pk", filter=Q(item__picture__isnull=False)),
    )
    pictures = Item.objects.filter(project=project, picture__isnull=False).exclude(stage=Stage.EXCLUDED).count()
    last = PictureReading.objects.filter(project=project).order_by("-pk").first()
    runs = method_progress(project.public_id, method.NAME)
    return ReadingProgress(
        read=counts["read"],
        with_words=counts["with_words"],
        failed=counts["failed"],
        waiting=max(0, pictures - counts["pictured"]),
        running=bool(last and last.state in PictureReading.ACTIVE) or runs.open > 0,
        unread_here=counts["unread_here"],
        no_model=_hindrance(project, PictureReader.MODEL),
        problem=_hindrance(project, PictureReader(project.picture_reader)) or (last.problem if last else ""),
    )


def _hindrance(project: Project, reader: PictureReader) -> str:
    """Return why this reader cannot read the project's pictures, in one sentence; empty if it can."""
    if reader is PictureReader.NONE:
        return _("The settings of this project say that nobody reads its pictures.")
    if reader is PictureReader.LOCAL:
        return "" if reading_process.is_installed() else job.how_to_install()
    binding = method.reader_model(project)
    if not binding.is_language_model:
        return _("No model is set up that sees pictures: set MODEL_PICTURE_READER or MODEL_VISION.")
    return binding.problem
