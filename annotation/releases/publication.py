"""Publish a release, and give outsiders access to it once an admin approves.

A published release has a page at an address that cannot be guessed; its files are for those whose request was approved
and who accepted the terms, for a number of days. A requester gets the address of their own request; it is stored as a
hash. Unpublishing a release closes its page and every link at once.
"""

import hashlib
import json
import os
import secrets
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models import Case, Count, F, QuerySet, When
from django.utils import timezone

from annotation.core.release_paths import archive_name, building_home
from annotation.core.stored_files import move_in
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
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
from annotation.releases import access_mail
from annotation.releases.files import MANIFEST, SUMS, problems, read_manifest
from annotation.releases.folders import ReleaseFolder, release_folder

MOST_WAITING = 200
"""The maximum number of unanswered requests for one release; further ones are refused until an admin answers."""


class TooManyWaiting(Exception):
    """The release has too many unanswered requests; an admin has to answer some first."""


class Damaged(Exception):
    """The files differ from what was released; `sentence` says which."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class AccessStanding(StrEnum):
    """State of an access request as its requester sees it."""

    WAITING = "waiting"
    REFUSED = "refused"
    REVOKED = "revoked"
    TERMS = "terms"
    OPEN = "open"
    EXPIRED = "expired"


@dataclass(frozen=True)
class NewAccessRequest:
    """A new access request; `token` is the secret of its address and is not stored."""

    request: AccessRequest
    token: str


def access_terms_of(project: Project) -> ReleaseTerms:
    """Return the terms of the project's releases; default terms if none were stated."""
    return ReleaseTerms.objects.filter(project=project).first() or ReleaseTerms(project=project)


def damage(release: Release) -> list[str]:
    """List damage to the files, including files and manifest that were changed together."""
    folder = release_folder(release)
    sentences = problems(folder)
    if not sentences and read_manifest(folder) != release.manifest:
        return [f"{MANIFEST}: the file is not the manifest that was released."]
    return sentences


# ── For admins ────────────────────────────────────────────────────────────────


def publish(release: Release, by: Membership) -> Publication:
    """Publish the release at a fresh address.

    If it is published already, it keeps its address, and a lost archive is restored.

    Raises Damaged if its files are not what was released.
    """
    shown = Publication.objects.filter(release=release, withdrawn_at=None).first()
    if shown is not None and default_storage.exists(archive_name(release)):
        return shown
    damages = damage(release)
    if damages:
        raise Damaged(damages[0])
    size, sha256 = _pack(release)
    if shown is not None:
        return shown
    fields = {"key": public_key(), "published_by": by, "published_at": timezone.now(), "withdrawn_at": None}
    return _shown(release, by, fields | {"archive_size": size, "archive_sha256": sha256})


@short_transaction
def _shown(release: Release, by: Membership, fields: dict[str, object]) -> Publication:
    row, _new = Publication.objects.update_or_create(release=release, defaults=fields)
    record(
        EventVerb.RELEASE_PUBLISHED, project=release.project, actor=by, row=release.public_id, version=release.number
    )
    return row


def unpublish(release: Release, by: Membership) -> bool:
    """Unpublish the release: close its page and every link. Return False if it was not published."""
    changed = _taken_back(release, by)
    if changed:
        default_storage.delete(archive_name(release))
    return changed


@short_transaction
def _taken_back(release: Release, by: Membership) -> bool:
    now = timezone.now()
    if not Publication.objects.filter(release=release, withdrawn_at=None).update(withdrawn_at=now):
        return False
    granted = AccessRequest.objects.filter(publication__release=release).exclude(state=AccessState.REFUSED)
    granted.update(state=AccessState.REVOKED, expires_at=None)
    record(
        EventVerb.RELEASE_TAKEN_BACK, project=release.project, actor=by, row=release.public_id, version=release.number
    )
    return True


def requests_for(release: Release) -> QuerySet[AccessRequest]:
    """Return the access requests for the release: unanswered ones first, then newest first."""
    waits = Case(When(state=AccessState.WAITING, then=0), default=1)
    return AccessRequest.objects.filter(publication__release=release).order_by(waits, "-pk")


def waiting_for(project: Project) -> dict[int, int]:
    """Count unanswered access requests by release number; releases without any are omitted."""
    waiting = AccessRequest.objects.filter(
        publication__release__project=project, publication__withdrawn_at=None, state=AccessState.WAITING
    )
    numbers = waiting.order_by().values_list("publication__release__number")
    return dict(numbers.annotate(n=Count("pk")))


@short_transaction
def decide(release: Release, access_request: AccessRequest, by: Membership, approved: bool, reason: str = "") -> bool:
    """Approve, refuse or revoke a request.

    Only approved requests can be revoked. An approval asks for acceptance of the terms again, so that expired access
    can be granted again. Approving access that is still valid changes nothing, so a second approval closes no link.

    Returns False if the release is not published (any more).
    """
    if not Publication.objects.filter(release=release, withdrawn_at=None, requests=access_request).exists():
        return False
    granted = access_request.state == AccessState.APPROVED
    if approved and granted and standing_of(access_request, timezone.now()) is not AccessStanding.EXPIRED:
        return True
    state = AccessState.APPROVED if approved else AccessState.REVOKED if granted else AccessState.REFUSED
    changed = AccessRequest.objects.filter(pk=access_request.pk, state=access_request.state).update(
        state=state,
        reason=reason[:500],
        decided_by=by,
        decided_at=timezone.now(),
        accepted_at=None,
        accepted_terms="",
        expires_at=None,
    )
    if changed:
        record(
            EventVerb.ACCESS_DECIDED, project=release.project, actor=by, row=access_request.public_id, state=state.value
        )
        access_mail.tell_asker(access_request.publication, access_request)
    return bool(changed)


def _pack(release: Release) -> tuple[int, str]:
    """Write the ZIP archive that links lead to, and return its size and SHA-256.

    The same release always gives the same bytes.
    """
    folder, root = release_folder(release), f"{release.manifest['project']['slug']}-release-{release.number}"
    handle, name = tempfile.mkstemp(prefix=".packing-", dir=building_home(release.project.public_id))
    try:
        with os.fdopen(handle, "w+b") as out:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                for path in [*(listed_file["path"] for listed_file in release.manifest["files"]), MANIFEST, SUMS]:
                    _put(archive, root, folder, path)
            out.flush()
            os.fsync(out.fileno())
            size = out.tell()
            out.seek(0)
            sha256 = hashlib.file_digest(out, "sha256").hexdigest()
        move_in(Path(name), archive_name(release))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return size, sha256


def _put(archive: zipfile.ZipFile, root: str, folder: ReleaseFolder, path: str) -> None:
    entry = zipfile.ZipInfo(f"{root}/{path}")  # dated 1980, so that the same release gives the same archive
    stored = path.endswith((".png", ".jpg", ".parquet", ".webp", ".gif"))
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with folder.open(path) as source, archive.open(entry, "w", force_zip64=True) as out:
        while block := source.read(1 << 20):
            out.write(block)


# ── For people outside ────────────────────────────────────────────────────────


def find_publication(key: str) -> Publication | None:
    """Return the published release at an address. Returns None if there is none."""
    shown = Publication.objects.filter(key=key, withdrawn_at=None, release__project__delete_after=None)
    return shown.select_related("release__project").first()


def request_access(shown: Publication, name: str, email: str, affiliation: str, purpose: str) -> NewAccessRequest:
    """Request access to a release.

    Raises TooManyWaiting if too many requests are unanswered.
    """
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
    access_mail.tell_admins(shown)
    return NewAccessRequest(row, token)


def find_request(shown: Publication, token: str) -> AccessRequest | None:
    """Return the request that the token identifies. Returns None if there is none."""
    return shown.requests.filter(token_sha256=_hashed(token)).first()


def standing_of(access_request: AccessRequest, now: datetime) -> AccessStanding:
    """Return the state of a request."""
    if access_request.state == AccessState.WAITING:
        return AccessStanding.WAITING
    if access_request.state != AccessState.APPROVED:
        return AccessStanding.REVOKED if access_request.state == AccessState.REVOKED else AccessStanding.REFUSED
    if access_request.accepted_at is None or access_request.expires_at is None:
        return AccessStanding.TERMS
    return AccessStanding.OPEN if access_request.expires_at > now else AccessStanding.EXPIRED


def digest_of_terms(shown: Publication, terms: ReleaseTerms) -> str:
    """Return the SHA-256 of what somebody accepts: the licence and these terms."""
    return _hashed(json.dumps([shown.release.manifest["licence"], terms.terms]))


def accept_terms(shown: Publication, access_request: AccessRequest, digest: str) -> bool:
    """Accept the terms that were read, known by their `digest_of_terms`; the link works from now on.

    Returns False if the terms have changed since then, or no approved request waits for acceptance.
    """
    terms, now = access_terms_of(shown.release.project), timezone.now()
    if digest != digest_of_terms(shown, terms):
        return False
    waiting = AccessRequest.objects.filter(pk=access_request.pk, state=AccessState.APPROVED, accepted_at=None)
    return bool(
        waiting.update(accepted_at=now, accepted_terms=terms.terms, expires_at=now + timedelta(days=terms.access_days))
    )


def archive_for(shown: Publication, access_request: AccessRequest) -> str | None:
    """Return the name in storage of the ZIP archive that this request gives access to.

    Returns None if the access is not valid or the archive is not the published one.
    """
    if standing_of(access_request, timezone.now()) is not AccessStanding.OPEN:
        return None
    name = archive_name(shown.release)
    try:
        return name if default_storage.size(name) == shown.archive_size else None
    except FileNotFoundError:
        return None


def count_download(access_request: AccessRequest) -> None:
    """Record that a download began."""
    AccessRequest.objects.filter(pk=access_request.pk).update(
        downloads=F("downloads") + 1, downloaded_at=timezone.now()
    )


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
