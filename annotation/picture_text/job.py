"""The job that reads the pictures of a project on this machine, one after the other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.core.jobs import Heartbeat, JobKind, JobRefused, Phase
from annotation.core.stored_files import StoreAway
from annotation.domain.choices import EventVerb, PriorState
from annotation.domain.pictures.words import Words
from annotation.media import reading_process
from annotation.media.reading_process import CannotRead, ReadingProcess
from annotation.models import Membership, Picture, PictureReading, Project, record
from annotation.picture_text import store

UNSURE = "unsure"
"""The reason of a reading that is sure of nothing, perhaps because the reader does not know the letters."""


class NotInstalled(JobRefused):
    """There is no reader on this machine; the message says how to install it."""

    def __init__(self) -> None:
        super().__init__("not_installed", how_to_install())


def how_to_install() -> str:
    """Return a message for people about how to install the reader."""
    return _(
        "Pictures are not read: the reader is an extra. The people who run this site add it with: pip install "
        "-c requirements.lock rapidocr onnxruntime"
    )


def order_reading(
    project: Project, actor: Membership | None = None, *, again: bool = False, enqueue: bool = True
) -> PictureReading:
    """Order a job that reads what was not read; return the one that is already queued or running, if there is one.

    Without `enqueue` the caller carries it out.
    Raises NotInstalled.
    """
    if not reading_process.is_installed():
        raise NotInstalled
    under_way = PictureReading.objects.filter(project=project, state__in=PictureReading.ACTIVE)
    try:
        with transaction.atomic():
            row = under_way.first()
            if row is not None:
                return row
            row = PictureReading.objects.create(project=project, ordered_by=actor, again=again)
            if actor is not None:
                record(EventVerb.PICTURES_READ, project=project, actor=actor, row=row.public_id, again=again)
    except IntegrityError:  # another request came at the same moment
        return under_way.get()
    if enqueue:
        READINGS.begin(row)
    return row


def _read(row: PictureReading, heartbeat: Heartbeat[PictureReading]) -> None:
    """Read one picture after the other; a picture that cannot be read costs nothing but itself."""
    if not reading_process.is_installed():
        raise NotInstalled
    succeeded, failed = row.pictures_done, row.pictures_failed
    with _READER.lent() as read:
        while (picture := _next(row)) is not None:
            heartbeat.note(pictures_done=succeeded, pictures_failed=failed)
            worked = _read_one(row, picture, read)
            succeeded, failed = succeeded + worked, failed + (not worked)
            row.last = picture.pk
            READINGS.beat(row, pictures_done=succeeded, pictures_failed=failed, last=picture.pk)
    READINGS.finish(row, pictures_done=succeeded, pictures_failed=failed)
    # What came in meanwhile did not order a job, since this one was under way.
    if store.unread_items(row.project).exists():
        order_reading(row.project)


def _next(row: PictureReading) -> Picture | None:
    waiting = store.unread_items(row.project, _over(row)).values("picture")
    return Picture.objects.filter(pk__in=waiting, pk__gt=row.last).order_by("pk").first()


def _read_one(row: PictureReading, picture: Picture, read: "_Read") -> bool:
    name, over = reading_process.reader_name(), _over(row)
    try:
        with picture.file.open("rb") as file:
            words = read(file.read())
    except StoreAway:
        raise  # no fault of the picture: the job is handed back
    except (CannotRead, OSError) as fault:
        code = fault.code if isinstance(fault, CannotRead) else "missing_file"
        store.store_failure(row.project, picture.pk, PriorState.FAILED, code, name, over=over)
        return False
    if words.is_unsure:
        store.store_failure(row.project, picture.pk, PriorState.UNREADABLE, UNSURE, name, over=over)
    else:
        store.store_words(row.project, picture.pk, words, name, over=over)
    return not words.is_unsure


def _over(row: PictureReading) -> store.Over:
    return store.Over.MACHINES if row.again else store.Over.NOTHING


class _Read:
    """Reads one picture at a time, whichever jobs ask."""

    def __init__(self) -> None:
        self._process, self._one_at_a_time = ReadingProcess(), threading.Lock()

    def __call__(self, content: bytes) -> Words:
        """Return the words in a picture. Raises CannotRead."""
        with self._one_at_a_time:
            return self._process.read(content)

    def close(self) -> None:
        self._process.close()


class _SharedReader:
    """One reading process for all jobs of this worker, since its models take 400 MB; it ends with the last job."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._read: _Read | None = None

    @contextmanager
    def lent(self) -> Iterator[_Read]:
        with self._lock:
            self._users += 1
            read = self._read = self._read or _Read()
        try:
            yield read
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    read.close()
                    self._read = None


_READER = _SharedReader()

READINGS = JobKind("picture_reading", PictureReading, phases=(Phase(_read),))
