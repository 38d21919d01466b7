"""Pictures of items: storage, and who may see them.

A picture is stored once per project, by the SHA-256 of the bytes that came in, under random names: the file drawn
anew for display and release, and a blurred one. The original bytes are not kept (threats B52-B66, T6).
"""

import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from queue import SimpleQueue
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.core.second_factor import lets_in
from annotation.core.stored_files import files_below
from annotation.domain.choices import Reason
from annotation.domain.formats.zip_archives import BadArchive, shown
from annotation.domain.pictures.decoding import BadPicture, Drawn, PictureLimits
from annotation.media.decoder_process import DrawingProcess
from annotation.media.picture_sources import PictureSource
from annotation.models import Item, Membership, Picture, Project, Seat, User

FOLDER = "pictures"
_LOOK = 0.5  # seconds
_MOST_STALLS = 20
_ENDING = {"image/png": "png", "image/jpeg": "jpg"}


def picture_limits() -> PictureLimits:
    """Return the limits of the site's settings."""
    return PictureLimits(pixels=settings.PICTURE_MAX_PIXELS, file=settings.PICTURE_MAX_BYTES)


# ── Into storage ──────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Staged:
    """A picture that is decoded and, except in a dry run, written; its row is not stored yet."""

    sha256: str
    media_type: str
    width: int
    height: int
    file: str = ""
    file_sha256: str = ""
    blurred: str = ""
    frames: int = 1
    ground: str = ""


def stage_picture(drawn: Drawn, project: Project) -> Staged:
    """Write the two files of a picture under random names; `discard_staged` removes them.

    Raises OSError if the disk does not take both, and leaves neither.
    """
    folder = f"{FOLDER}/{project.public_id}/{secrets.token_hex(1)}"
    name = secrets.token_urlsafe(24)
    file, blurred = f"{folder}/{name}.{_ENDING[drawn.media_type]}", f"{folder}/{name}-b.jpg"
    try:
        default_storage.save(file, ContentFile(drawn.shown))
        default_storage.save(blurred, ContentFile(drawn.blurred))
    except OSError:
        _delete_files(file, blurred)
        raise
    return replace(_about(drawn), file=file, file_sha256=hashlib.sha256(drawn.shown).hexdigest(), blurred=blurred)


def _about(drawn: Drawn) -> Staged:
    """Return what a dry run tells of a picture."""
    facts = (drawn.sha256, drawn.media_type, drawn.width, drawn.height)
    return Staged(*facts, frames=drawn.frames, ground=drawn.ground)


def discard_staged(staged: Staged) -> None:
    """Remove the files of a picture whose row was not stored."""
    _delete_files(staged.file, staged.blurred)


def _delete_files(*names: str) -> None:
    for name in filter(None, names):
        with suppress(OSError):
            default_storage.delete(name)


def known_pictures(project: Project) -> dict[str, int]:
    """Return the primary keys of the project's pictures by the SHA-256 of the bytes that came in."""
    return dict(Picture.objects.filter(project=project).values_list("sha256", "pk"))


class TooManyPixels(BadArchive):
    """The pictures of one upload have too many pixels together, counted to the one with this name."""

    def __init__(self, name: str, pixels: int, limit: int) -> None:
        reason = f"With {shown(name)} the pictures of this file have {pixels:,} pixels together (width × height × "
        reason += f"frames); at most {limit:,} are decoded. Split the file."
        super().__init__("too_many_pixels_together", reason, 413, limit)
        self.name, self.pixels = name, pixels


class Gallery:
    """The pictures named by the rows of one import: each is read, checked and drawn once, a few at a time.

    Use it as a context manager. `want` may be called for every row; `finish` waits for all. Both raise TooManyPixels
    if there are more than `pixels` together; and what `watch` raises, which is called while they wait.
    """

    def __init__(
        self,
        project: Project,
        source: PictureSource,
        *,
        keep: bool,
        known: Mapping[str, int],
        pixels: int,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare for a project; with `keep`, files are written; `known` are the project's pictures."""
        self.project, self.source, self.keep, self.known = project, source, keep, known
        self._most_pixels, self._watch = pixels, watch
        self._pixels, self._stalls = 0, 0
        self._under_way: set[Future[None]] = set()
        self.keys: set[str] = set()
        self._limits = picture_limits()
        workers = min(4, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="drawing")
        self._room = threading.BoundedSemaphore(workers * 3)
        self._free: SimpleQueue[DrawingProcess] = SimpleQueue()
        self._processes = [DrawingProcess(self._limits) for _ in range(workers)]
        for process in self._processes:
            self._free.put(process)
        self._lock = threading.Lock()
        self._sha256_of: dict[str, str] = {}
        self._drawn: dict[str, Staged | BadPicture] = {}
        self._failed: dict[str, BadPicture] = {}
        self._fault: BaseException | None = None

    def __enter__(self) -> "Gallery":
        return self

    def __exit__(self, fault: object, *_more: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        if fault is not None:  # nobody waits for what they draw
            for process in self._processes:
                process.stop()
        self._pool.shutdown(wait=True)
        for process in self._processes:
            process.close()

    def want(self, name: str) -> bool:
        """Begin to draw the picture of this name. Return False if there is no such file."""
        key = self.source.find(name)
        if key is None:
            return False
        if key not in self.keys:
            self.keys.add(key)
            while not self._room.acquire(timeout=_LOOK):
                self._watch()
            self._raise_fault()
            drawing = self._pool.submit(self._draw, key, name)
            self._under_way.add(drawing)
            drawing.add_done_callback(self._leave)
        return True

    def finish(self) -> None:
        """Wait for every picture. Raise the first error of writing one (a full disk)."""
        while under_way := self._under_way.copy():
            wait(under_way, timeout=_LOOK)
            self._watch()
        self._raise_fault()

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _leave(self, drawing: "Future[None]") -> None:
        self._under_way.discard(drawing)
        self._room.release()

    def result(self, name: str) -> str | BadPicture:
        """Return the SHA-256 of the picture of this name, or why it is refused; only after `finish`."""
        key = self.source.find(name)
        assert key is not None
        refused = self._failed.get(key)
        if refused is not None:
            return refused
        sha256 = self._sha256_of[key]
        outcome = self._drawn.get(sha256)
        return outcome if isinstance(outcome, BadPicture) else sha256

    def staged(self) -> list[Staged]:
        """Return the new pictures."""
        return [outcome for outcome in self._drawn.values() if isinstance(outcome, Staged)]

    def _draw(self, key: str, name: str) -> None:
        if self._fault is not None:
            return
        try:
            content = self.source.read(key, self._limits.file)
            sha256 = hashlib.sha256(content).hexdigest()
            with self._lock:
                self._sha256_of[key] = sha256
                if sha256 in self.known or sha256 in self._drawn:
                    return
                self._drawn[sha256] = BadPicture("image_processing", "The picture was not finished.")
            self._drawn[sha256] = outcome = self._outcome(content)
            self._count(outcome, name)
        except BadPicture as refused:
            self._failed[key] = refused
        except BaseException as fault:  # carried to the thread that waits
            self._fault = fault

    def _count(self, outcome: Staged | BadPicture, name: str) -> None:
        """Count what a picture took.

        Raises TooManyPixels if that is too much together, and BadArchive if too many could not be decoded in time.
        """
        with self._lock:
            if isinstance(outcome, BadPicture):
                self._pixels += outcome.pixels
                self._stalls += outcome.code == "image_processing"
            else:
                self._pixels += outcome.width * outcome.height * outcome.frames
            pixels = self._pixels
        if pixels > self._most_pixels:
            raise TooManyPixels(name, pixels, self._most_pixels)
        if self._stalls > _MOST_STALLS:
            reason = f"{_MOST_STALLS} pictures could not be decoded within the memory and time allowed: no further one "
            raise BadArchive("image_processing", f"{reason}is tried.", 413, _MOST_STALLS)

    def _outcome(self, content: bytes) -> Staged | BadPicture:
        process = self._free.get()
        try:
            picture = process.draw(content)
        except BadPicture as refused:
            return refused
        finally:
            self._free.put(process)
        if self.keep:
            return stage_picture(picture, self.project)
        return _about(picture)


# ── Who may be shown them ─────────────────────────────────────────────────────


def blurred_for(user: User, public_id: UUID) -> Picture | None:
    """Return the picture for any member of its project, who may see the blurred derivative.

    Returns None for others, and for reported pictures.
    """
    return _pictures_of(user).filter(public_id=public_id).first()


def full_for(user: User, public_id: UUID) -> Picture | None:
    """Return the picture for reviewers, admins, and annotators who have revealed or labelled it at a seat of theirs.

    Returns None for others, and for reported pictures.
    """
    member = Membership.objects.filter(user=user, active=True)
    at_desk = member.filter(Q(reviews=True) | Q(administers=True), project=OuterRef("project"))
    saw_picture = Q(reveals__gt=0) | Q(label__isnull=False)
    own_seat = Seat.objects.filter(saw_picture, item__picture=OuterRef("pk"), annotator__in=member)
    return _pictures_of(user).filter(Exists(at_desk) | Exists(own_seat), public_id=public_id).first()


def unlocked(picture: str) -> Q:
    """Return a condition for rows whose picture, named by this lookup, is shown by no reported item."""
    return ~Q(Exists(Item.objects.filter(picture=OuterRef(picture), excluded_for=Reason.REPORTED)))


def _pictures_of(user: User) -> QuerySet[Picture]:
    member = Membership.objects.filter(lets_in(user), user=user, active=True, project=OuterRef("project"))
    return Picture.objects.filter(Exists(member), unlocked("pk"))


# ── Left over ─────────────────────────────────────────────────────────────────


def remove_orphans(before: datetime) -> int:
    """Remove files without a row that were written before this time; return how many.

    A process that dies between writing a picture and storing its row leaves them behind.
    """
    removed = 0
    for names in _batches(files_below(FOLDER), 500):
        used = set(Picture.objects.filter(file__in=names).values_list("file", flat=True))
        used |= set(Picture.objects.filter(blurred__in=names).values_list("blurred", flat=True))
        for name in set(names) - used:
            if default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
                removed += 1
    return removed


def _batches(names: Iterator[str], size: int) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    for name in names:
        batch.append(name)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
