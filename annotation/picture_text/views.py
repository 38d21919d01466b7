"""Forms about the words in pictures: a person's correction, and the request to read a project's pictures."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.core.access import PersonRequest, member_of, page_before
from annotation.core.error_messages import sentence_for
from annotation.core.jobs import JobRefused
from annotation.domain.choices import PictureReader, Reason, Role, Stage
from annotation.domain.text_rules import BadText
from annotation.models import Item
from annotation.picture_text import requests, store


class CorrectionForm(forms.Form):
    """The words as the person reads them; `seen` is the reading that their page showed."""

    text = forms.CharField(required=False, strip=False)
    seen = forms.IntegerField(required=False)


@require_POST
def correct(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what a reviewer or admin reads in a picture, in place of what stands there."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    items = Item.objects.filter(project=member.project).exclude(excluded_for=Reason.REPORTED)
    if not member.sees_figures:
        items = items.exclude(stage=Stage.KNOWN)  # as `items.search.visible_items`, which lies above
    item = get_object_or_404(items, public_id=public_id)
    form = CorrectionForm(request.POST)
    try:
        if item.picture_id is None and not item.picture_missing:
            messages.error(request, _("This post has no picture."))
        elif form.is_valid():
            store.correct_words(member, item, form.cleaned_data["text"], form.cleaned_data["seen"])
        else:
            messages.error(request, _("The form is not whole. Load the page again, then try again."))
    except BadText as bad:
        messages.error(request, sentence_for(bad.code, bad.sentence))
    except store.ReadMeanwhile:
        messages.warning(
            request, _("Somebody else read or corrected the words meanwhile. Here they are; yours were not stored.")
        )
    return redirect("annotation:item", slug, public_id)


@require_POST
def read_pictures(request: PersonRequest, slug: str) -> HttpResponse:
    """Have the pictures read that nobody has read, those that a model may read, or all again."""
    member = member_of(request, slug, Role.ADMIN)
    reader = PictureReader.MODEL if request.POST.get("reader") == PictureReader.MODEL else None
    try:
        requests.read_pictures(member.project, member, again=request.POST.get("again") == "1", reader=reader)
        messages.success(request, _("The pictures are read in the background."))
    except JobRefused as refused:
        messages.error(request, refused.sentence)
    return redirect(page_before(request))
