"""Showing a release to the world, and letting people outside have it once an admin agrees.

A published release has a page at an address that nobody guesses; its files are for those whose request was approved
and who accepted the terms, for some days. Whoever asks gets the address of their own request; it is kept as a hash.
Taking a release back closes its page and every link at once.
"""

import hashlib
import os
import secrets
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from django.db.models import Case, Count, F, QuerySet, When
from django.utils import timezone

from annotation.models import (
    AccessRequest,
    AccessState,
    Membership,
    Project,
    Publication,
    Release,
    ReleaseTerms,
    record,
)
from annotation.models.releases import public_key
from annotation.release_files import MANIFEST, SUMS, problems, read_manifest
from annotation.release_places import archive_of, folder_of
from annotation.transactions import short_transaction

MOST_WAITING = 200
"""Requests of one release that wait for an answer; further ones are refused until somebody has answered."""


class TooManyWaiting(Exception):
    """No further request is taken until an admin has answered some."""


class Damaged(Exception):
    """The files are not what was released; `sentence` says which."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Standing(StrEnum):
    """How a request stands for the one who made it."""

    WAITING = "waiting"
    REFUSED = "refused"
    REVOKED = "revoked"
    TERMS = "terms"
    OPEN = "open"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Asked:
    """A request just made; `token` leads to it and is kept nowhere."""

    request: AccessRequest
    token: str


def terms_of(project: Project) -> ReleaseTerms:
    """What holds for the project's releases; the usual where nothing was stated."""
    return ReleaseTerms.objects.filter(project=project).first() or ReleaseTerms(project=project)


def damage(made: Release) -> list[str]:
    """What is wrong with the files, also where files and manifest were changed together."""
    folder = folder_of(made)
    found = problems(folder)
    if not found and read_manifest(folder) != made.manifest:
        return [f"{MANIFEST}: the file is not the manifest that was released."]
    return found


# ── For admins ────────────────────────────────────────────────────────────────


def publish(made: Release, by: Membership) -> Publication:
    """Show the release at a fresh address. Raises Damaged; published already, it stays and gets back a lost archive."""
    shown = Publication.objects.filter(release=made, withdrawn_at=None).first()
    if shown is not None and archive_of(made).is_file():
        return shown
    found = damage(made)
    if found:
        raise Damaged(found[0])
    size, sha256 = _pack(made)
    if shown is not None:
        return shown
    fields = {"key": public_key(), "published_by": by, "published_at": timezone.now(), "withdrawn_at": None}
    return _shown(made, by, fields | {"archive_size": size, "archive_sha256": sha256})


@short_transaction
def _shown(made: Release, by: Membership, fields: dict[str, object]) -> Publication:
    row, _new = Publication.objects.update_or_create(release=made, defaults=fields)
    record("release_published", project=made.project, actor=by, row=made.public_id, version=made.number)
    return row


def take_back(made: Release, by: Membership) -> bool:
    """Close the page and every link; False where it was not published."""
    done = _taken_back(made, by)
    if done:
        archive_of(made).unlink(missing_ok=True)
    return done


@short_transaction
def _taken_back(made: Release, by: Membership) -> bool:
    now = timezone.now()
    if not Publication.objects.filter(release=made, withdrawn_at=None).update(withdrawn_at=now):
        return False
    granted = AccessRequest.objects.filter(publication__release=made).exclude(state=AccessState.REFUSED)
    granted.update(state=AccessState.REVOKED, expires_at=None)
    record("release_taken_back", project=made.project, actor=by, row=made.public_id, version=made.number)
    return True


def requests_for(made: Release) -> QuerySet[AccessRequest]:
    """Who asked for the release: first those who wait for an answer, else newest first."""
    waits = Case(When(state=AccessState.WAITING, then=0), default=1)
    return AccessRequest.objects.filter(publication__release=made).order_by(waits, "-pk")


def waiting_for(project: Project) -> dict[int, int]:
    """How many requests wait for an answer, by the number of the release; releases where none waits are left out."""
    waiting = AccessRequest.objects.filter(
        publication__release__project=project, publication__withdrawn_at=None, state=AccessState.WAITING
    )
    numbers = waiting.order_by().values_list("publication__release__number")
    return dict(numbers.annotate(n=Count("pk")))


@short_transaction
def decide(made: Release, asked: AccessRequest, by: Membership, approved: bool, reason: str = "") -> bool:
    """Approve, refuse, or (a request that was approved) revoke; False where the release is not published (any more).

    An approval asks for the terms anew, so that an expired access can be granted again; where the access holds, it
    changes nothing, so that approving twice closes no link.
    """
    if not Publication.objects.filter(release=made, withdrawn_at=None, requests=asked).exists():
        return False
    granted = asked.state == AccessState.APPROVED
    if approved and granted and standing_of(asked, timezone.now()) is not Standing.EXPIRED:
        return True
    state = AccessState.APPROVED if approved else AccessState.REVOKED if granted else AccessState.REFUSED
    changed = AccessRequest.objects.filter(pk=asked.pk, state=asked.state).update(
        state=state,
        reason=reason[:500],
        decided_by=by,
        decided_at=timezone.now(),
        accepted_at=None,
        accepted_terms="",
        expires_at=None,
    )
    if changed:
        record("access_decided", project=made.project, actor=by, row=asked.public_id, state=state.value)
    return bool(changed)


def _pack(made: Release) -> tuple[int, str]:
    """Write the ZIP that links lead to: the same bytes for the same release. Returns its size and SHA-256."""
    target, root = archive_of(made), f"{made.manifest['project']['slug']}-release-{made.number}"
    handle, name = tempfile.mkstemp(prefix=".packing-", dir=target.parent)
    try:
        with os.fdopen(handle, "w+b") as out:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                for path in [*(each["path"] for each in made.manifest["files"]), MANIFEST, SUMS]:
                    _put(archive, f"{root}/{path}", folder_of(made) / path)
            out.flush()
            os.fsync(out.fileno())
            size = out.tell()
            out.seek(0)
            sha256 = hashlib.file_digest(out, "sha256").hexdigest()
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return size, sha256


def _put(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name)  # 1980, so that the same release is the same archive
    stored = path.suffix in (".png", ".jpg", ".parquet", ".webp", ".gif")
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as out:
        while block := source.read(1 << 20):
            out.write(block)


# ── For people outside ────────────────────────────────────────────────────────


def find(key: str) -> Publication | None:
    """The published release behind an address."""
    shown = Publication.objects.filter(key=key, withdrawn_at=None, release__project__delete_after=None)
    return shown.select_related("release__project").first()


def ask(shown: Publication, name: str, email: str, affiliation: str, purpose: str) -> Asked:
    """Ask for access. Raises TooManyWaiting."""
    if shown.requests.filter(state=AccessState.WAITING).count() >= MOST_WAITING:
        raise TooManyWaiting
    token = secrets.token_urlsafe(24)
    row = AccessRequest.objects.create(
        publication=shown,
        name=name,
        email=email,
        affiliation=affiliation,
        purpose=purpose,
        token_sha256=_hashed(token),
    )
    return Asked(row, token)


def find_request(shown: Publication, token: str) -> AccessRequest | None:
    """The request that the token leads to."""
    return shown.requests.filter(token_sha256=_hashed(token)).first()


def standing_of(asked: AccessRequest, now: datetime) -> Standing:
    """How a request stands."""
    if asked.state == AccessState.WAITING:
        return Standing.WAITING
    if asked.state != AccessState.APPROVED:
        return Standing.REVOKED if asked.state == AccessState.REVOKED else Standing.REFUSED
    if asked.accepted_at is None or asked.expires_at is None:
        return Standing.TERMS
    return Standing.OPEN if asked.expires_at > now else Standing.EXPIRED


def accept(shown: Publication, asked: AccessRequest) -> bool:
    """Accept the terms as they read now; the link works from now on. False where nothing waits for it."""
    terms, now = terms_of(shown.release.project), timezone.now()
    waiting = AccessRequest.objects.filter(pk=asked.pk, state=AccessState.APPROVED, accepted_at=None)
    return bool(
        waiting.update(accepted_at=now, accepted_terms=terms.terms, expires_at=now + timedelta(days=terms.access_days))
    )


def archive_for(shown: Publication, asked: AccessRequest) -> Path | None:
    """The ZIP that this request may have now, if it is still the one that was published."""
    if standing_of(asked, timezone.now()) is not Standing.OPEN:
        return None
    path = archive_of(shown.release)
    try:
        return path if path.stat().st_size == shown.archive_size else None
    except FileNotFoundError:
        return None


def count_download(asked: AccessRequest) -> None:
    """Note that a download began."""
    AccessRequest.objects.filter(pk=asked.pk).update(downloads=F("downloads") + 1, downloaded_at=timezone.now())


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
