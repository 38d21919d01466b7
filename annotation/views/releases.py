"""Releases: made and shown by a project's admins; every file is verified again before it is handed out."""

import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import publishing, release_orders
from annotation.domain.words import Role, Stage
from annotation.forms.access import TermsForm
from annotation.forms.release import ReleaseForm
from annotation.models import (
    Item,
    Membership,
    OrderState,
    Publication,
    Release,
    ReleaseOrder,
    ReleaseTerms,
    record,
)
from annotation.refusals import sentence_for
from annotation.release_changes import between
from annotation.release_files import MANIFEST, SUMS, Changed, checksum, open_verified
from annotation.release_papers import bibtex
from annotation.release_places import folder_of
from annotation.release_shown import facts
from annotation.releasing import CannotRelease
from annotation.splitting import BadSplitList, keep_list
from annotation.tasks import ring_for_release
from annotation.views.scope import PersonRequest, member_of

PAGE_LENGTH = 50
_FILES_SHOWN = 30
_FOLDERS = ("pictures/", "imagefolder/")
_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


@require_http_methods(["GET", "POST"])
def releases(request: PersonRequest, slug: str) -> HttpResponse:
    """The project's releases, and the form that makes the next one."""
    member = member_of(request, slug, Role.ADMIN)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = ReleaseForm(member.project, *posted)
    if form.is_valid():
        try:
            row = release_orders.order(member, form.cleaned_data["key"], form.selection(_kept(member, form)))
        except CannotRelease as fault:
            form.add_error(None, sentence_for(fault.code, fault.sentence))
        except BadSplitList as fault:
            form.add_error("split_file", fault.sentence)
        else:
            return _follow(request, slug, row)
    made_so_far = Release.objects.filter(project=member.project).select_related("created_by").order_by("-number")
    context = {
        "project": member.project,
        "membership": member,
        "form": form,
        "waiting": publishing.waiting_for(member.project).items(),
        "orders": release_orders.active(member.project_id),
        "page": Paginator(made_so_far, PAGE_LENGTH).get_page(request.GET.get("page")),
        "gold": Item.objects.filter(project=member.project, stage=Stage.GOLD).count(),
    }
    return render(request, "annotation/releases.html", context, status=422 if form.is_bound else 200)


@require_GET
def ordered(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """A release under way; once it is made, the release itself."""
    member, row = _order(request, slug, public_id)
    if row.release is not None:
        return redirect("annotation:release", slug, row.release.number)
    return render(request, "annotation/release_order.html", _progress(member, row))


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The piece of that page that asks again every second; at the end it leads on."""
    member, row = _order(request, slug, public_id)
    answer = render(request, "annotation/_release_progress.html", _progress(member, row))
    if row.state not in release_orders.ACTIVE:
        answer["HX-Redirect"] = reverse("annotation:release-ordered", args=[slug, public_id])
    return answer


@require_POST
def cancel(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Stop a release that is not made yet."""
    _member, row = _order(request, slug, public_id)
    if not release_orders.cancel(row):
        messages.warning(request, _("It has ended already."))
    return redirect("annotation:release-ordered", slug, public_id)


@require_GET
def show(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """One release: what it holds, how far its annotators agreed, its files."""
    member, made = _release(request, slug, number)
    files = made.manifest["files"]
    shown = Publication.objects.filter(release=made, withdrawn_at=None).first()
    context = facts(made) | {
        "project": member.project,
        "membership": member,
        "citation": bibtex(made.manifest),
        "files": [file for file in files if not file["path"].startswith(_FOLDERS)][:_FILES_SHOWN],
        "folders": _folders(files),
        "versions": Release.objects.filter(project=member.project).order_by("-number")[:20],
        "publication": shown,
        "page": Paginator(publishing.requests_for(made), PAGE_LENGTH).get_page(request.GET.get("page")),
        "now": timezone.now(),
    }
    return render(request, "annotation/release.html", context)


@require_POST
def publish(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Show a release to the world."""
    member, made = _release(request, slug, number)
    try:
        publishing.publish(made, member)
    except publishing.Damaged as fault:
        messages.error(request, _("The release is not intact: %(problems)s") % {"problems": fault.sentence})
    return redirect("annotation:release", slug, number)


@require_POST
def take_back(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Close the public page and all links."""
    member, made = _release(request, slug, number)
    if publishing.take_back(made, member):
        messages.success(request, _("The public page is closed, and no link works any more."))
    return redirect("annotation:release", slug, number)


@require_POST
def access(request: PersonRequest, slug: str, number: int, public_id: UUID) -> HttpResponse:
    """Answer a request for access."""
    member, made = _release(request, slug, number)
    asked = publishing.requests_for(made).filter(public_id=public_id).first()
    if asked is None:
        raise Http404
    approved = request.POST.get("do") == "approve"
    reason = " ".join(request.POST.get("reason", "").replace("\0", "").split())
    if not publishing.decide(made, asked, member, approved, reason):
        messages.warning(request, _("That was not possible any more; here is how it stands now."))
    return redirect(f"{reverse('annotation:release', args=[slug, number])}#request-{public_id}")


@require_http_methods(["GET", "POST"])
def terms(request: PersonRequest, slug: str) -> HttpResponse:
    """What holds for all releases: authors, licences under which content stays behind, terms of access."""
    member = member_of(request, slug, Role.ADMIN)
    stated = publishing.terms_of(member.project)
    form = TermsForm(request.POST if request.method == "POST" else None, initial=TermsForm.initial_of(stated))
    if form.is_valid():
        ReleaseTerms.objects.update_or_create(project=member.project, defaults=form.cleaned_data)
        record("release_terms", project=member.project, actor=member, row=member.project.public_id)
        messages.success(request, _("Saved. It holds for releases made from now on."))
        return redirect("annotation:releases", slug)
    context = {"project": member.project, "membership": member, "form": form}
    return render(request, "annotation/release_terms.html", context, status=422 if form.is_bound else 200)


@require_GET
def changes(request: PersonRequest, slug: str, number: int, older: int) -> HttpResponse:
    """What changed from an older release to this one, and why."""
    member, made = _release(request, slug, number)
    before = Release.objects.filter(project=member.project, number=older).first()
    if before is None:
        raise Http404
    context: dict[str, Any] = {"project": member.project, "membership": member, "release": made, "older": before}
    try:
        found = between(before, made)
    except OSError:
        return _refused(request, member, made, _("A file of one of the releases is lost."))
    names = {category["code"]: category["name"] for category in made.manifest["categories"]}
    relabelled = [
        each | {"from_name": names.get(each["from"], "–"), "to_name": names.get(each["to"], "–")}
        for each in found["relabelled"][:PAGE_LENGTH]
    ]
    first = {name: found[name][:PAGE_LENGTH] for name in ("added", "removed", "revised")}
    told: dict[str, Any] = {"c": found | first | {"relabelled": relabelled}, "shown": PAGE_LENGTH}
    return render(request, "annotation/release_changes.html", context | told)


@require_POST
def verify(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Check every byte of a release now."""
    _member, made = _release(request, slug, number)
    found = publishing.damage(made)
    if found:
        messages.error(request, _("The release is not intact: %(problems)s") % {"problems": " ".join(found[:5])})
    else:
        messages.success(request, _("The release is whole and unchanged."))
    return redirect("annotation:release", slug, number)


@require_GET
def file(request: PersonRequest, slug: str, number: int, path: str) -> HttpResponseBase:
    """One file of a release, if it is still the one that was released; else 409."""
    member, made = _release(request, slug, number)
    folder = folder_of(made)
    listed = {each["path"]: each for each in made.manifest["files"]}
    if path not in listed and path not in (MANIFEST, SUMS):
        raise Http404
    try:
        content = open_verified(folder, listed[path]) if path in listed else _sealed(made, path)
    except Changed as fault:
        return _refused(request, member, made, fault.sentence)
    name = f"{slug}-{number}-{path.rpartition('/')[2]}"
    kind = _TYPES.get(path.rpartition(".")[2], "application/octet-stream")
    return FileResponse(content, as_attachment=True, filename=name, content_type=kind)


@require_GET
def everything(request: PersonRequest, slug: str, number: int) -> HttpResponseBase:
    """The whole release as one ZIP, streamed after every file was verified; else 409."""
    member, made = _release(request, slug, number)
    found = publishing.damage(made)
    if found:
        return _refused(request, member, made, found[0])
    name = f"{slug}-release-{number}"
    answer = StreamingHttpResponse(_zipped(made, name), content_type="application/zip")
    answer["Content-Disposition"] = content_disposition_header(True, f"{name}.zip") or "attachment"
    return answer


def _kept(member: Membership, form: ReleaseForm) -> str:
    """The id of the split list that came with the form, kept from now on; empty without one. Raises BadSplitList."""
    uploaded = form.cleaned_data["split_file"]
    if not uploaded:
        return ""
    name = "".join(character for character in uploaded.name if character.isprintable()) or _("list")
    return str(keep_list(member.project, member, name, uploaded.file).public_id)


def _follow(request: PersonRequest, slug: str, row: ReleaseOrder) -> HttpResponse:
    """Where an order leads: to its release, or to the page that shows how far it is."""
    if row.release is not None:
        messages.success(request, _("Release %(version)s is made.") % {"version": row.release.number})
        return redirect("annotation:release", slug, row.release.number)
    if row.state == OrderState.QUEUED:
        transaction.on_commit(partial(ring_for_release, row.pk))
    return redirect("annotation:release-ordered", slug, row.public_id)


def _order(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, ReleaseOrder]:
    member = member_of(request, slug, Role.ADMIN)
    rows = ReleaseOrder.objects.filter(project=member.project, public_id=public_id)
    row = rows.select_related("release").first()
    if row is None:
        raise Http404
    return member, row


def _progress(member: Membership, row: ReleaseOrder) -> dict[str, Any]:
    """How far an order is, with rate and time left once both can be told."""
    seconds = (timezone.now() - row.begun_at).total_seconds() if row.begun_at else 0
    rate = row.items_done / seconds if seconds > 0 else 0
    return {
        "project": member.project,
        "membership": member,
        "order": row,
        "running": row.state in release_orders.ACTIVE,
        "percent": min(99, 100 * row.items_done // max(1, row.items_total)),
        "rate": rate,
        "seconds_left": round((row.items_total - row.items_done) / rate) if rate else None,
    }


def _release(request: PersonRequest, slug: str, number: int) -> tuple[Membership, Release]:
    member = member_of(request, slug, Role.ADMIN)
    made = Release.objects.filter(project=member.project, number=number).select_related("created_by").first()
    if made is None:
        raise Http404
    return member, made


def _folders(files: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The folders of a release whose files are not listed one by one, with how many there are."""
    counted = Counter(file["path"].partition("/")[0] for file in files if file["path"].startswith(_FOLDERS))
    return [(f"{name}/", n) for name, n in sorted(counted.items())]


def _sealed(made: Release, path: str) -> Any:
    """The manifest or the list of sums, which the manifest cannot list itself. Raises Changed."""
    folder = folder_of(made)
    sums = {each["path"]: each["sha256"] for each in made.manifest["files"]} | {MANIFEST: checksum(made.manifest)}
    if path == MANIFEST:
        return open_verified(folder, {"path": MANIFEST, "sha256": sums[MANIFEST]})
    content = (folder / SUMS).open("rb") if (folder / SUMS).is_file() else None
    wanted = "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()).encode()
    if content is None or content.read() != wanted:
        raise Changed(SUMS, _("SHA256SUMS: the file is not the one that was released."))
    content.seek(0)
    return content


def _refused(request: PersonRequest, member: Membership, made: Release, sentence: str) -> HttpResponse:
    context = {"project": member.project, "membership": member, "release": made, "sentence": sentence}
    return render(request, "annotation/release_damaged.html", context, status=409)


class _Pipe:
    """What zipfile writes to: bytes wait here until the response takes them."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def write(self, block: bytes) -> int:
        self._blocks.append(bytes(block))
        return len(block)

    def flush(self) -> None:
        """Nothing waits anywhere else."""

    def taken(self) -> bytes:
        blocks, self._blocks = b"".join(self._blocks), []
        return blocks


def _zipped(made: Release, root: str) -> Iterator[bytes]:
    pipe, folder = _Pipe(), folder_of(made)
    sink: Any = pipe  # zipfile asks for no more than write and flush when it only writes
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for path in [*(each["path"] for each in made.manifest["files"]), MANIFEST, SUMS]:
            method = zipfile.ZIP_STORED if path.startswith("pictures/") else zipfile.ZIP_DEFLATED
            entry = zipfile.ZipInfo(f"{root}/{path}", date_time=(*made.created_at.timetuple()[:3], 0, 0, 0))
            entry.compress_type = method
            with (folder / path).open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while block := source.read(1 << 18):
                    target.write(block)
                    yield pipe.taken()
    yield pipe.taken()
