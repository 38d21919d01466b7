"""Pages for importing files into a project: upload, dry run, import with progress."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import found, one
from annotation.domain.choices import Role
from annotation.domain.formats.base import Format, Twice
from annotation.domain.masking.mask import Mask
from annotation.imports import uploads
from annotation.imports.examples import EXAMPLES
from annotation.imports.forms import OptionsForm, UploadForm
from annotation.imports.job import IMPORTS
from annotation.imports.mapping_form import MappingForm
from annotation.imports.options import COLUMN_NAMES, FORMATS, MASKS, ImportOptions
from annotation.imports.presenters import NOT_COUNTED, STATES, progress_of, tables
from annotation.models import Category, Import, ImportState, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.job_progress import progress_fragment
from annotation.pages.project_page import project_page
from annotation.pages.view_marks import worked
from annotation.picture_text.requests import reading_progress

SHOWN = 20
"""The number of imports in the list."""


@require_http_methods(["GET", "POST"])
def imports(request: PersonRequest, slug: str) -> HttpResponse:
    """Upload a file. A small one is checked at once and refused with the status of its error."""
    member = member_of(request, slug, Role.ADMIN)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        row = uploads.upload(member, form.cleaned_data["file"], form.request())
        return _uploaded(request, member, row)
    if form.is_bound and _speaks_json(request):
        field, (error, *_more) = next(iter(form.errors.get_json_data().items()))
        code = "nul_character" if error["code"] == "null_characters_not_allowed" else error["code"]
        return JsonResponse({"code": code, "detail": error["message"], "field": field}, status=400)
    past = Import.objects.filter(project=member.project).select_related("started_by").order_by("-pk")
    context = {
        "form": form,
        "past": [(row, STATES[row.state]) for row in past[:SHOWN]],
        "reading": reading_progress(member.project),
        "column_names": COLUMN_NAMES,
        "examples": [(name, _(word)) for name, word in FORMATS.items() if name in EXAMPLES],
    }
    return project_page(request, member, "annotation/import.html", context, status=400 if form.is_bound else 200)


@require_GET
def show(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one import: its progress, its findings, and the next steps."""
    member, row = _import(request, slug, public_id)
    if _speaks_json(request):
        return JsonResponse(_as_json(row))
    return _page(request, member, row)


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Return the fragment of a running import."""
    member, row = _import(request, slug, public_id)
    return progress_fragment(request, member, progress_of(row))


_STEPS: Mapping[str, Callable[[Import, Membership, str], bool]] = {
    "store": lambda row, member, _column: uploads.store(row, member),
    "leave_out": lambda row, _member, _column: uploads.leave_out_bad_rows(row),
    "use_column": lambda row, _member, column: uploads.decide_column(row, column, "use_column"),
    "keep_column": lambda row, _member, column: uploads.decide_column(row, column, "keep_column"),
    "leave_out_column": lambda row, _member, column: uploads.decide_column(row, column, "leave_out_column"),
    "use_category_columns": lambda row, _member, _column: uploads.name_category_columns(row),
    "first_counts": lambda row, _member, _column: uploads.count_one(row, Twice.FIRST),
    "last_counts": lambda row, _member, _column: uploads.count_one(row, Twice.LAST),
    "cancel": lambda row, _member, _column: IMPORTS.cancel(row),
}
"""What buttons do, with the column that one is about; each returns whether it was still possible."""


@require_POST
def act(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Import a checked file, check it again with other options or without what stops it, or cancel."""
    member, row = _import(request, slug, public_id)
    step = request.POST.get("do", "")
    if step == "check":
        form = OptionsForm(request.POST)
        if not form.is_valid():
            return _page(request, member, row, form, status=422)
        was_possible = uploads.check_again(row, form.request())
    elif step == "map" and row.outcome.get("first_rows"):
        mapping = _mapping(row, request.POST)
        if not mapping.is_valid():
            return _page(request, member, row, mapping=mapping, status=422)
        was_possible = uploads.check_again(row, mapping.options())
    else:
        was_possible = step in _STEPS and _STEPS[step](row, member, request.POST.get("column", ""))
    if not was_possible:
        messages.warning(request, _("That was no longer possible. This is the current state."))
    return redirect("annotation:import-show", slug, public_id)


@require_GET
def errors(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Return every row with errors, as CSV."""
    _member, row = _import(request, slug, public_id)
    if not row.error_list:
        raise Http404
    name = f"{slug}-import-errors.csv"
    content_type = "text/csv; charset=utf-8"
    return FileResponse(row.error_list.open("rb"), as_attachment=True, filename=name, content_type=content_type)


@require_GET
def example(request: PersonRequest, slug: str, name: str) -> HttpResponseBase:
    """Return the example file of a format."""
    member_of(request, slug, Role.ADMIN)
    file = found(EXAMPLES.get(Format(name)) if name in EXAMPLES else None)
    return FileResponse(file.open("rb"), as_attachment=True, filename=f"example-{file.name}")


def _uploaded(request: PersonRequest, member: Membership, row: Import) -> HttpResponse:
    row.refresh_from_db()
    status = row.outcome.get("status", 400) if row.state == ImportState.REFUSED else 201
    if _speaks_json(request):
        return worked(JsonResponse(_as_json(row), status=status))
    if row.state == ImportState.REFUSED:
        return worked(_page(request, member, row, status=status))
    return redirect("annotation:import-show", member.project.slug, row.public_id)


def _mapping(row: Import, data: QueryDict | None = None) -> MappingForm:
    return MappingForm(row.outcome["first_rows"], ImportOptions.model_validate(row.options), data)


def _page(
    request: PersonRequest,
    member: Membership,
    row: Import,
    form: OptionsForm | None = None,
    status: int = 200,
    mapping: MappingForm | None = None,
) -> HttpResponse:
    context = _context(member, row, form)
    fatal = row.outcome.get("fatal") or {}
    if row.state == ImportState.REFUSED and row.file and row.outcome.get("first_rows"):
        context["mapping"] = mapping or _mapping(row)
    else:
        context["asks_here"] = bool(fatal.get("field")) or fatal.get("code") == "encoding"
    return project_page(request, member, "annotation/import_show.html", context, status)


def _context(member: Membership, row: Import, form: OptionsForm | None = None) -> dict[str, Any]:
    options = ImportOptions.model_validate(row.options)
    outcome = row.outcome
    categories = {category.code: category for category in member.project.categories.all()}
    preview = [
        row_shown | {name: _named(row_shown[name], categories) for name in ("intended", "category")}
        for row_shown in outcome.get("preview", ())
    ]
    return {
        "import": row,
        "found": outcome,
        "masked": [
            (_(MASKS[Mask(kind)]), count, outcome.get("mask_examples", {}).get(kind, ()))
            for kind, count in outcome.get("masked", {}).items()
            if count
        ],
        "not_counted": [
            (NOT_COUNTED.get(reason, reason), count) for reason, count in outcome.get("not_counted", {}).items()
        ],
        "tables": tables(member.project, row, preview),
        "options": options,
        "progress": progress_of(row),
        "form": form or OptionsForm(initial=OptionsForm.initial_of(options)),
        "upload": UploadForm(initial=OptionsForm.initial_of(options), auto_id="again_%s"),
    }


def _named(codes: list[int] | int | None, categories: Mapping[int, Category]) -> list[Category]:
    """Return the categories of a first row; an import of before kept one code alone."""
    code_list = codes if isinstance(codes, list) else [codes]
    return [categories[code] for code in code_list if code is not None and code in categories]


def _as_json(row: Import) -> dict[str, Any]:
    """Return the state of an import for programs; a refusal has the form of all refusals of the API."""
    answer = {"import": str(row.public_id), "state": row.state, "outcome": row.outcome}
    if row.state == ImportState.REFUSED and row.outcome.get("errors"):
        first = row.outcome["fatal"] or row.outcome["errors"][0]
        answer |= {"code": first["code"], "detail": first["reason"]}
        answer |= {name: first[name] for name in ("line", "field", "limit") if first[name]}
    return answer


def _import(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Import]:
    member = member_of(request, slug, Role.ADMIN)
    return member, one(Import.objects, member.project, public_id)


def _speaks_json(request: PersonRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
