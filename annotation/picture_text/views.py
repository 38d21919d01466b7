"""Forms about the words in pictures: a person's correction, and the request to read a project's pictures."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.core.found import one
from annotation.core.jobs import JobRefused
from annotation.core.visible_items import visible_items
from annotation.domain.choices import PictureReader, Reason, Role
from annotation.domain.text_rules import BadText
from annotation.pages.access import PersonRequest, member_of, page_before
from annotation.pages.error_messages import sentence_for
from annotation.picture_text import requests, store


class CorrectionForm(forms.Form):
    """The words as the person reads them; `seen` is the reading that their page showed."""

    text = forms.CharField(required=False, strip=False)
    seen = forms.IntegerField(required=False)


@require_POST
def correct(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what a reviewer or admin reads in a picture, in place of what stands there."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = one(visible_items(member).exclude(excluded_for=Reason.REPORTED), member.project, public_id)
    form = CorrectionForm(request.POST)
    try:
        if item.picture_id is None and not item.picture_missing:
            messages.error(request, _("This post has no picture."))
        elif form.is_valid():
            store.correct_words(member, item, form.cleaned_data["text"], form.cleaned_data["seen"])
            messages.success(request, _("The words are stored as you read them."))
        else:
            messages.error(request, _("The form is not complete. Load the page again, then try again."))
    except BadText as bad:
        messages.error(request, _not_stored(sentence_for(bad.code, bad.sentence), form))
    except store.ReadMeanwhile:
        sentence = _(
            "Somebody else read or corrected the words in the meantime. Their version is shown here; yours was "
            "not stored."
        )
        messages.warning(request, _not_stored(sentence, form))
    return redirect(reverse("annotation:item", args=(slug, public_id)) + "#words-in-picture")


def _not_stored(sentence: str, form: CorrectionForm) -> str:
    """Return a refusal with what was typed, so that nobody has to type it again."""
    return sentence + " " + _("You had written: “%(words)s”") % {"words": form.cleaned_data["text"]}


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
