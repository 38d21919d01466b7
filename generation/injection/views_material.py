"""Pages of the material of samples: pools of pictures, trigger texts, words for `<insult>`. For admins."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import found
from annotation.core.visible_items import visible_items
from annotation.domain.choices import Stage
from annotation.models import Category, Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.injection import material as injection_material
from generation.injection import settings as injection_settings
from generation.injection.access import maker, pool_for, shown, while_on
from generation.injection.forms import PoolFilesForm, PoolForm, PoolItemsForm, TriggersForm, WordsForm
from generation.injection.presenters import pools_of, trigger_counts
from generation.models import PicturePool, PoolPicture
from runs.execution.budget import BudgetExceeded

PAGE = 24


@require_http_methods(["GET", "POST"])
@while_on
def pools(request: PersonRequest, slug: str) -> HttpResponse:
    """Show all pools, and create one."""
    member = maker(request, slug)
    form = PoolForm(request.POST or None)
    if form.is_valid():
        try:
            pool = injection_material.make_pool(member.project, **form.cleaned_data, actor=member)
        except injection_material.BadMaterial as bad:
            form.add_error("name", str(bad))
        else:
            return redirect("generation:pool", slug, pool.public_id)
    context = shown(member, pools=list(pools_of(member.project)), form=form)
    return project_page(request, member, "generation/injection/pools.html", context, status=422 if form.errors else 200)


@require_GET
def pool(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one pool with its pictures, blurred."""
    member = maker(request, slug)
    # An htmx request polls for the model's answers; the page stays, with what was chosen in its forms.
    return _show_pool(request, member, pool_for(member, public_id), waited="HX-Request" in request.headers)


@require_POST
@while_on
def add_items(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Add pictures of items to the pool."""
    member = maker(request, slug)
    pool_row = pool_for(member, public_id)
    injection_settings.require_on(member.project)
    form = PoolItemsForm(request.POST)
    if form.is_valid():
        batch, names = form.cleaned_data["batch"].strip(), form.cleaned_data["ids"].split("\n")
        wanted_names = [name.strip() for name in names if name.strip()]
        items = visible_items(member).filter(picture__isnull=False).order_by("pk")
        items = items.filter(batch=batch) if batch else items.filter(external_id__in=wanted_names[:5_000])
        added = injection_material.add_items(pool_row, items.iterator(500), member)
        if added.new + added.known == 0:
            form.add_error(None, _("No item of that name has a picture."))
        else:
            _tell(request, added)
            added_names = set(items.exclude(stage=Stage.EXCLUDED).values_list("external_id", flat=True))
            if not batch and (missing := [name for name in wanted_names if name not in added_names]):
                sentence = _("Not added, because no item of that name has a picture: %(names)s.")
                messages.warning(request, sentence % {"names": shortened(missing)})
            return redirect("generation:pool", slug, public_id)
    return _show_pool(request, member, pool_row, items_form=form, status=422)


@require_POST
@while_on
def add_files(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Add uploaded pictures to the pool."""
    member = maker(request, slug)
    pool_row = pool_for(member, public_id)
    form = PoolFilesForm(member.project.offered_categories(), request.POST)
    files = request.FILES.getlist("files")
    if form.is_valid() and files:
        code = form.cleaned_data["category"]
        category = Category.objects.get(project=member.project, code=int(code)) if code else None
        try:
            added = injection_material.add_files(pool_row, files, category, member)
        except injection_material.BadMaterial as bad:
            form.add_error(None, str(bad))
        else:
            _tell(request, added)
            return redirect("generation:pool", slug, public_id)
    elif form.is_valid():
        form.add_error(None, _("Choose at least one picture."))
    return _show_pool(request, member, pool_row, files_form=form, status=422)


@require_POST
@while_on
def ask_priors(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask a model what each picture means alone."""
    member = maker(request, slug)
    pool_row = pool_for(member, public_id)
    try:
        queued = injection_material.ask_priors(member, pool_row)
    except (injection_material.BadMaterial, BudgetExceeded) as bad:
        messages.error(request, str(bad))
        return redirect("generation:pool", slug, public_id)
    sentence = ngettext("A model is asked about %(n)s picture.", "A model is asked about %(n)s pictures.", queued)
    messages.success(request, sentence % {"n": queued})
    return redirect("generation:pool", slug, public_id)


@require_POST
@while_on
def change_picture(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what a picture means alone, or remove it from its pool."""
    member = maker(request, slug)
    injection_settings.require_on(member.project)
    rows = PoolPicture.objects.filter(pool__project=member.project_id, public_id=public_id)
    picture = found(rows.select_related("pool").first())
    picture.pool.project = member.project
    if request.POST.get("do") == "out":
        try:
            injection_material.take_out(member, picture)
        except injection_material.BadMaterial as bad:
            messages.error(request, str(bad))
    else:
        rows_by_code = {str(row.code): row for row in Category.objects.filter(project=member.project)}
        category = rows_by_code.get(request.POST.get("category", ""))
        if category is None:
            messages.error(request, _("Choose a category of this project."))
        else:
            injection_material.judge(member, picture, category)
    response, page = redirect("generation:pool", slug, picture.pool.public_id), request.POST.get("page", "")
    response["Location"] += f"?page={page}" * (page.isdecimal() and len(page) < 9) + f"#p-{public_id}"
    return response


@require_GET
def material(request: PersonRequest, slug: str) -> HttpResponse:
    """Show how many trigger texts and words there are about each group."""
    member = maker(request, slug)
    return _show_material(request, member)


@require_POST
@while_on
def add_triggers(request: PersonRequest, slug: str) -> HttpResponse:
    """Store trigger texts."""
    member = maker(request, slug)
    form = TriggersForm(request.POST)
    if form.is_valid():
        try:
            added = injection_material.add_triggers(
                member, form.cleaned_data["trigger_group"], form.cleaned_data["texts"]
            )
        except injection_material.BadMaterial as bad:
            form.add_error("texts", str(bad))
        else:
            sentence = ngettext("%(n)s text was added.", "%(n)s texts were added.", added.new) % {"n": added.new}
            messages.success(request, sentence)
            return redirect("generation:injection-material", slug)
    injection_settings.require_on(member.project)
    return _show_material(request, member, triggers_form=form, status=422)


@require_POST
@while_on
def set_words(request: PersonRequest, slug: str) -> HttpResponse:
    """Store the words for `<insult>` about a group."""
    member = maker(request, slug)
    form = WordsForm(request.POST)
    if form.is_valid():
        try:
            count = injection_material.set_words(member, form.cleaned_data["word_group"], form.cleaned_data["words"])
        except injection_material.BadMaterial as bad:
            form.add_error("words", str(bad))
        else:
            sentence = ngettext("%(n)s word is kept.", "%(n)s words are kept.", count) % {"n": count}
            messages.success(request, sentence)
            return redirect("generation:injection-material", slug)
    injection_settings.require_on(member.project)
    return _show_material(request, member, words_form=form, status=422)


def shortened(names: list[str]) -> str:
    """Return the first ten names, and a mark if there are more."""
    return ", ".join(names[:10]) + (" …" if len(names) > 10 else "")


def _tell(request: PersonRequest, added: injection_material.Added) -> None:
    sentence = ngettext("%(n)s picture was added.", "%(n)s pictures were added.", added.new) % {"n": added.new}
    if added.known:
        sentence += " " + _("%(n)s were there already.") % {"n": added.known}
    messages.success(request, sentence)
    for refused in added.refused[:10]:
        messages.error(request, refused)


def _show_pool(
    request: PersonRequest, member: Membership, pool_row: PicturePool, *, status: int = 200, **more: Any
) -> HttpResponse:
    rows = pool_row.pictures.select_related("picture", "category").order_by("category__hateful", "pk")
    context = shown(
        member,
        pool=pool_row,
        page=Paginator(rows, PAGE).get_page(request.GET.get("page")),
        most_files=settings.DATA_UPLOAD_MAX_NUMBER_FILES,
        unknown=pool_row.pictures.filter(category=None).count(),
        asked=injection_material.asked_now(pool_row),
        categories=member.project.offered_categories(),
        items_form=PoolItemsForm(),
        files_form=PoolFilesForm(member.project.offered_categories()),
    )
    return project_page(request, member, "generation/injection/pool.html", context | more, status=status)


def _show_material(request: PersonRequest, member: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    lexicon = injection_settings.rules_of(member.project).lexicon
    context = shown(
        member,
        triggers=trigger_counts(member.project),
        words=[(group, len(words)) for group, words in sorted(lexicon.items())],
        triggers_form=TriggersForm(),
        words_form=WordsForm(),
    )
    return project_page(request, member, "generation/injection/material.html", context | more, status=status)
