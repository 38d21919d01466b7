"""The models page of a project's admins: what is asked for priors, why, whether it answers."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation import choosing_models
from annotation.domain.words import Modality, Role
from annotation.models import Membership
from annotation.views.scope import PersonRequest, member_of
from providers import wiring


class ModelsForm(forms.Form):
    """A model for each modality; empty: the site's."""

    text = forms.CharField(required=False, max_length=200, label=gettext_lazy("For texts"))
    image = forms.CharField(required=False, max_length=200, label=gettext_lazy("For pictures"))


class TryForm(forms.Form):
    """Which model to ask."""

    modality = forms.ChoiceField(choices=[(each.value, each.value) for each in Modality])


@require_GET
def models(request: PersonRequest, slug: str) -> HttpResponse:
    """What is set up."""
    return _page(request, member_of(request, slug, Role.ADMIN))


@require_POST
def try_out(request: PersonRequest, slug: str) -> HttpResponse:
    """Ask one model once and show what it said."""
    member = member_of(request, slug, Role.ADMIN)
    form = TryForm(request.POST)
    if not form.is_valid():
        return _page(request, member, status=422)
    tested = choosing_models.try_out(Modality(form.cleaned_data["modality"]), member.project)
    return _page(request, member, tested=tested)


@require_POST
def choose(request: PersonRequest, slug: str) -> HttpResponse:
    """Store the project's own models."""
    member = member_of(request, slug, Role.ADMIN)
    form = ModelsForm(request.POST)
    if form.is_valid():
        try:
            choosing_models.choose(member, {Modality(name): value for name, value in form.cleaned_data.items()})
        except wiring.NotConfigured as fault:
            form.add_error(None, str(fault))
        else:
            messages.success(request, _("The models of this project are stored."))
            return redirect("annotation:models", slug)
    return _page(request, member, form=form, status=422)


def _page(
    request: PersonRequest,
    member: Membership,
    *,
    form: ModelsForm | None = None,
    tested: choosing_models.Tested | None = None,
    status: int = 200,
) -> HttpResponse:
    setups = choosing_models.setups(member.project)
    context = {
        "project": member.project,
        "membership": member,
        "setups": setups,
        "tested": tested,
        "allowed": wiring.allowed(),
        "form": form or ModelsForm(initial={setup.modality: setup.chosen for setup in setups}),
    }
    return render(request, "annotation/models.html", context, status=status)
