"""Pages of releases for a project's admins; each file is verified again before it is sent."""

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import found
from annotation.core.stored_files import StoreAway
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.domain.one_line import one_line
from annotation.domain.releases.diff import Named
from annotation.models import (
    AccessState,
    Item,
    JobState,
    Membership,
    Publication,
    Release,
    ReleaseOrder,
    ReleaseTerms,
    record,
)
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.error_messages import sentence_for
from annotation.pages.job_progress import JobProgress, progress_fragment
from annotation.pages.project_page import project_page
from annotation.releases import publication
from annotation.releases.build import CannotRelease
from annotation.releases.diff import between
from annotation.releases.documents import bibtex
from annotation.releases.files import MANIFEST, SUMS, Changed, checksum, open_verified
from annotation.releases.folders import release_folder
from annotation.releases.forms import ReleaseForm
from annotation.releases.forms_access import TermsForm
from annotation.releases.job import RELEASES, order_release
from annotation.releases.people import columns_about_people
from annotation.releases.split import BadSplitList, keep_list
from annotation.releases.summary import facts

PAGE_LENGTH = 50
_FILES_SHOWN = 30
_FOLDERS = ("pictures/", "imagefolder/")
_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


@require_http_methods(["GET", "POST"])
def releases(request: PersonRequest, slug: str) -> HttpResponse:
    """List the project's releases, with the form that orders the next one."""
    member = member_of(request, slug, Role.ADMIN)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = ReleaseForm(member.project, *posted)
    if form.is_valid():
        try:
            row = order_release(member, form.cleaned_data["key"], form.selection(_kept(member, form)))
        except CannotRelease as fault:
            form.add_error(None, sentence_for(fault.code, fault.sentence))
        except BadSplitList as fault:
            form.add_error("split_file", fault.sentence)
        else:
            return _follow(request, slug, row)
    made_so_far = Release.objects.filter(project=member.project).select_related("created_by").order_by("-number")
    context = {
        "form": form,
        "waiting": publication.waiting_for(member.project).items(),
        "orders": RELEASES.active(member.project_id),
        "page": Paginator(made_so_far, PAGE_LENGTH).get_page(request.GET.get("page")),
        "gold": Item.objects.filter(project=member.project, stage=Stage.GOLD).count(),
        "about_people": columns_about_people(member.project),
    }
    return project_page(request, member, "annotation/releases.html", context, status=422 if form.is_bound else 200)


@require_GET
def ordered(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show a release that is being built; redirect to the release once it is done."""
    member, row = _order(request, slug, public_id)
    if row.release is not None:
        return redirect("annotation:release", slug, row.release.number)
    return project_page(request, member, "annotation/release_order.html", order=row, progress=_progress(row))


@require_GET
def release_progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Return the fragment of a release that is being built."""
    member, row = _order(request, slug, public_id)
    return progress_fragment(request, member, _progress(row))


@require_POST
def cancel_release(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Cancel a release that is not built yet."""
    _member, row = _order(request, slug, public_id)
    if not RELEASES.cancel(row):
        messages.warning(request, _("It has already ended."))
    return redirect("annotation:release-ordered", slug, public_id)


@require_GET
def show_release(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Show a release: its contents, the agreement of its annotators, its files."""
    member, release = _release(request, slug, number)
    files = release.manifest["files"]
    shown = Publication.objects.filter(release=release, withdrawn_at=None).first()
    context = facts(release) | {
        "citation": bibtex(release.manifest, url=shown.address() if shown else ""),
        "files": [file for file in files if not file["path"].startswith(_FOLDERS)][:_FILES_SHOWN],
        "folders": _folders(files),
        "versions": Release.objects.filter(project=member.project).order_by("-number")[:20],
        "publication": shown,
        "page": Paginator(publication.requests_for(release), PAGE_LENGTH).get_page(request.GET.get("page")),
        "now": timezone.now(),
    }
    return project_page(request, member, "annotation/release.html", context)


@require_POST
def publish(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Publish a release."""
    member, release = _release(request, slug, number)
    try:
        publication.publish(release, member)
        messages.success(request, _("The release has a public page now. Its files are for people whom you approve."))
    except publication.Damaged as fault:
        messages.error(request, _("The release is not intact: %(problems)s") % {"problems": fault.sentence})
    return redirect("annotation:release", slug, number)


@require_POST
def take_back(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Unpublish a release: close the public page and all links."""
    member, release = _release(request, slug, number)
    if publication.unpublish(release, member):
        messages.success(request, _("The public page is closed, and no link works any more."))
    return redirect("annotation:release", slug, number)


@require_POST
def access(request: PersonRequest, slug: str, number: int, public_id: UUID) -> HttpResponse:
    """Answer a request for access."""
    member, release = _release(request, slug, number)
    access_request = found(publication.requests_for(release).filter(public_id=public_id).first())
    approved = request.POST.get("do") == "approve"
    seen, state = request.POST.get("state", access_request.state), access_request.state
    is_stale = seen != state and not (approved and state == AccessState.APPROVED)
    reason = " ".join(request.POST.get("reason", "").replace("\0", "").split())
    if is_stale or not publication.decide(release, access_request, member, approved, reason):
        messages.warning(request, _("That was no longer possible. This is the current state."))
    elif approved:
        messages.success(request, _("Approved. The files can be fetched once the terms are accepted."))
    else:
        messages.success(request, _("Saved. This person has no access."))
    return redirect(f"{reverse('annotation:release', args=[slug, number])}#request-{public_id}")


@require_http_methods(["GET", "POST"])
def terms(request: PersonRequest, slug: str) -> HttpResponse:
    """Edit what applies to all releases: authors, licences under which content is withheld, terms of access."""
    member = member_of(request, slug, Role.ADMIN)
    stated = publication.access_terms_of(member.project)
    form = TermsForm(request.POST if request.method == "POST" else None, initial=TermsForm.initial_of(stated))
    if form.is_valid():
        ReleaseTerms.objects.update_or_create(project=member.project, defaults=form.cleaned_data)
        record(EventVerb.RELEASE_TERMS, project=member.project, actor=member, row=member.project.public_id)
        messages.success(request, _("Saved. It applies to releases made from now on."))
        return redirect("annotation:releases", slug)
    context = {"form": form}
    return project_page(request, member, "annotation/release_terms.html", context, status=422 if form.is_bound else 200)


@require_GET
def changes(request: PersonRequest, slug: str, number: int, older: int) -> HttpResponse:
    """Show what changed from an older release to this one, and why."""
    member, release = _release(request, slug, number)
    before = found(Release.objects.filter(project=member.project, number=older).first())
    context: dict[str, Any] = {"release": release, "older": before}
    try:
        differences = between(before, release)
    except StoreAway:
        raise
    except OSError:
        return _refused(request, member, release, _("A file of one of the releases is lost."))
    names = {category["code"]: category["name"] for category in release.manifest["categories"]}
    relabelled = [
        entry | {"from_names": _names(names, entry["from"]), "to_names": _names(names, entry["to"])}
        for entry in differences["relabelled"][:PAGE_LENGTH]
    ]
    first = {name: differences[name][:PAGE_LENGTH] for name in ("added", "removed", "revised")}
    first["moved"] = differences.get("moved", [])[:PAGE_LENGTH]
    page_values: dict[str, Any] = {"c": differences | first | {"relabelled": relabelled}, "shown": PAGE_LENGTH}
    return project_page(request, member, "annotation/release_changes.html", context | page_values)


def _names(names: Mapping[int, str], named: Named) -> str:
    """Return the names of the categories that a row names; a dash where it names none."""
    codes = named if isinstance(named, tuple) else [named]
    return ", ".join("–" if code is None else names.get(code, "–") for code in codes)


@require_POST
def verify(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Check every byte of a release now."""
    _member, release = _release(request, slug, number)
    sentences = publication.damage(release)
    if sentences:
        messages.error(request, _("The release is not intact: %(problems)s") % {"problems": " ".join(sentences[:5])})
    else:
        messages.success(request, _("The release is complete and unchanged."))
    return redirect("annotation:release", slug, number)


@require_GET
def file(request: PersonRequest, slug: str, number: int, path: str) -> HttpResponseBase:
    """Send one file of a release. Return 409 if it is not the one that was released."""
    member, release = _release(request, slug, number)
    folder = release_folder(release)
    listed = {listed_file["path"]: listed_file for listed_file in release.manifest["files"]}
    if path not in listed and path not in (MANIFEST, SUMS):
        raise Http404
    try:
        content = open_verified(folder, listed[path]) if path in listed else _sealed(release, path)
    except Changed as fault:
        return _refused(request, member, release, fault.sentence)
    name = f"{slug}-{number}-{path.rpartition('/')[2]}"
    kind = _TYPES.get(path.rpartition(".")[2], "application/octet-stream")
    return FileResponse(content, as_attachment=True, filename=name, content_type=kind)


@require_GET
def everything(request: PersonRequest, slug: str, number: int) -> HttpResponseBase:
    """Stream the whole release as one ZIP archive after verifying each file. Return 409 if it is damaged."""
    member, release = _release(request, slug, number)
    sentences = publication.damage(release)
    if sentences:
        return _refused(request, member, release, sentences[0])
    name = f"{slug}-release-{number}"
    answer = StreamingHttpResponse(_zipped(release, name), content_type="application/zip")
    answer["Content-Disposition"] = content_disposition_header(True, f"{name}.zip") or "attachment"
    return answer


def _kept(member: Membership, form: ReleaseForm) -> str:
    """Store the split list uploaded with the form and return its id; empty without one.

    Raises BadSplitList if it cannot be read.
    """
    uploaded = form.cleaned_data["split_file"]
    if not uploaded:
        return ""
    name = one_line(uploaded.name) or _("list")
    return str(keep_list(member.project, member, name, uploaded.file).public_id)


def _follow(request: PersonRequest, slug: str, row: ReleaseOrder) -> HttpResponse:
    """Redirect to the order's release, or to its progress page."""
    if row.release is not None:
        messages.success(request, _("Release %(version)s is made.") % {"version": row.release.number})
        return redirect("annotation:release", slug, row.release.number)
    return redirect("annotation:release-ordered", slug, row.public_id)


def _order(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, ReleaseOrder]:
    member = member_of(request, slug, Role.ADMIN)
    rows = ReleaseOrder.objects.filter(project=member.project, public_id=public_id)
    row = found(rows.select_related("release").first())
    return member, row


def _progress(row: ReleaseOrder) -> JobProgress:
    """Return the progress of an order, with rate and remaining time once both can be estimated."""
    seconds = (timezone.now() - row.begun_at).total_seconds() if row.begun_at else 0
    rate = row.items_done / seconds if seconds > 0 else 0
    done, total = row.items_done, row.items_total
    return JobProgress(
        row,
        what=_("Items written"),
        state=_("waiting for a worker") if row.state == JobState.QUEUED else _("is written"),
        done=min(99, 100 * done // max(1, total)),  # files are packed after the last item
        total=100,
        part=_("Part of the items that is written"),
        sentence=_("%(done)s of %(total)s items") % {"done": f"{done:,}", "total": f"{total:,}"},
        if_cancelled=_("It is being cancelled; nothing will be released."),
        page="annotation:release-ordered",
        poll="annotation:release-progress",
        cancel="annotation:release-cancel",
        rate=rate,
        seconds_left=round((total - done) / rate) if rate else None,
    )


def _release(request: PersonRequest, slug: str, number: int) -> tuple[Membership, Release]:
    member = member_of(request, slug, Role.ADMIN)
    release = found(Release.objects.filter(project=member.project, number=number).select_related("created_by").first())
    return member, release


def _folders(files: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Count the files in each folder of a release whose files are not listed one by one."""
    counted = Counter(file["path"].partition("/")[0] for file in files if file["path"].startswith(_FOLDERS))
    return [(f"{name}/", n) for name, n in sorted(counted.items())]


def _sealed(release: Release, path: str) -> Any:
    """Send the manifest or the list of checksums, which the manifest cannot list itself.

    Raises Changed if the file is not what was released.
    """
    folder = release_folder(release)
    sums = {listed_file["path"]: listed_file["sha256"] for listed_file in release.manifest["files"]} | {
        MANIFEST: checksum(release.manifest)
    }
    if path == MANIFEST:
        return open_verified(folder, {"path": MANIFEST, "sha256": sums[MANIFEST]})
    expected = "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()).encode()
    with suppress(FileNotFoundError):
        content = folder.open(SUMS)
        if content.read() == expected:
            content.seek(0)
            return content
        content.close()
    raise Changed(SUMS, _("SHA256SUMS: the file is not the one that was released."))


def _refused(request: PersonRequest, member: Membership, release: Release, sentence: str) -> HttpResponse:
    context = {"release": release, "sentence": sentence}
    return project_page(request, member, "annotation/release_damaged.html", context, status=409)


class _Pipe:
    """Output file of zipfile: buffers bytes until the response takes them."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def write(self, block: bytes) -> int:
        self._blocks.append(bytes(block))
        return len(block)

    def flush(self) -> None:
        """Do nothing: there is no further buffer."""

    def taken(self) -> bytes:
        blocks, self._blocks = b"".join(self._blocks), []
        return blocks


def _zipped(release: Release, root: str) -> Iterator[bytes]:
    pipe, folder = _Pipe(), release_folder(release)
    sink: Any = pipe  # for writing, zipfile needs only write and flush
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for path in [*(listed_file["path"] for listed_file in release.manifest["files"]), MANIFEST, SUMS]:
            method = zipfile.ZIP_STORED if path.startswith("pictures/") else zipfile.ZIP_DEFLATED
            entry = zipfile.ZipInfo(f"{root}/{path}", date_time=(*release.created_at.timetuple()[:3], 0, 0, 0))
            entry.compress_type = method
            with folder.open(path) as source, archive.open(entry, "w", force_zip64=True) as target:
                while block := source.read(1 << 18):
                    target.write(block)
                    yield pipe.taken()
    yield pipe.taken()
