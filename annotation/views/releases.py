"""Releases: made and shown by a project's admins; every file is verified again before it is handed out."""

import zipfile
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

from annotation import release_orders
from annotation.charts import share
from annotation.domain.words import Role, Stage
from annotation.forms.release import ReleaseForm
from annotation.models import Item, Membership, OrderState, Release, ReleaseOrder
from annotation.refusals import sentence_for
from annotation.release_files import MANIFEST, SUMS, Changed, checksum, open_verified, problems, read_manifest
from annotation.releasing import CannotRelease, folder_of
from annotation.tasks import ring_for_release
from annotation.views.scope import PersonRequest, member_of

PAGE_LENGTH = 50
_FILES_SHOWN = 12
_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


@require_http_methods(["GET", "POST"])
def releases(request: PersonRequest, slug: str) -> HttpResponse:
    """The project's releases, and the form that makes the next one."""
    member = member_of(request, slug, Role.ADMIN)
    form = ReleaseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            row = release_orders.order(member, form.cleaned_data["key"], form.selection())
        except CannotRelease as fault:
            form.add_error(None, sentence_for(fault.code, fault.sentence))
        else:
            return _follow(request, slug, row)
    made_so_far = Release.objects.filter(project=member.project).select_related("created_by").order_by("-number")
    context = {
        "project": member.project,
        "membership": member,
        "form": form,
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
    context = {
        "project": member.project,
        "membership": member,
        "release": made,
        "m": made.manifest,
        "checksum": checksum(made.manifest),
        "citation": _citation(made),
        "funnel": _funnel(made.manifest),
        "categories": _categories(made.manifest),
        "files": [file for file in files if not file["path"].startswith("pictures/")][:_FILES_SHOWN],
        "pictures": sum(file["path"].startswith("pictures/") for file in files),
        "bytes": sum(file["size"] for file in files),
        "versions": Release.objects.filter(project=member.project).order_by("-number")[:20],
    }
    return render(request, "annotation/release.html", context)


@require_POST
def verify(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Check every byte of a release now."""
    _member, made = _release(request, slug, number)
    found = _damage(made)
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
    found = _damage(made)
    if found:
        return _refused(request, member, made, found[0])
    name = f"{slug}-release-{number}"
    answer = StreamingHttpResponse(_zipped(made, name), content_type="application/zip")
    answer["Content-Disposition"] = content_disposition_header(True, f"{name}.zip") or "attachment"
    return answer


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


def _damage(made: Release) -> list[str]:
    """What is wrong with the files, also where files and manifest were changed together."""
    folder = folder_of(made)
    found = problems(folder)
    if not found and read_manifest(folder) != made.manifest:
        return [_("manifest.json: the file is not the manifest that was released.")]
    return found


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


def _funnel(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """From import to gold, as the project stood when the release was made."""
    found = manifest["agreement"]
    imported = sum(found["stages"].values())
    steps = [
        (_("Imported"), imported),
        (_("Fully labelled"), found["raw"]["items"]),
        (_("Quality"), found["steps"]["quality"]["items"]),
        (_("Consensus"), found["steps"]["consensus"]["items"]),
        (_("Aligned"), found["steps"]["alignment"]["items"]),
        (_("Gold"), found["stages"]["gold"]),
        (_("In this release"), manifest["counts"]["items"]),
    ]
    return [{"label": label, "n": n, "width": share(n, imported)} for label, n in steps]


def _citation(made: Release) -> str:
    """A BibTeX entry; braces and backslashes of the name would break it and are left out."""
    about = made.manifest["project"]
    name = "".join(character for character in about["name"] if character not in "{}\\")
    key = f"{about['slug']}_{made.number}".replace("-", "_")
    fields = {"title": name, "version": made.number, "year": made.manifest["created"][:4]}
    fields["note"] = f"SHA-256 {checksum(made.manifest)}"
    lines = ",\n".join(f"  {field:<7} = {{{value}}}" for field, value in fields.items())
    return f"@dataset{{{key},\n{lines}\n}}"


def _categories(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    gold = manifest["counts"]["gold"]
    most = max(gold.values(), default=0)
    return [
        category | {"n": gold.get(str(category["code"]), 0), "width": share(gold.get(str(category["code"]), 0), most)}
        for category in manifest["categories"]
    ]


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
