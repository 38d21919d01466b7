"""Views of the models page for admins: the model of each role, why, and whether it replies."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.display_names import name_of
from annotation.pages.project_page import project_page
from annotation.priors import model_choice, model_traits
from providers import bindings
from providers.roles import ModelRole
from runs.queue import model_facts


class ModelsForm(forms.Form):
    """A model for each role; empty: the site's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for role in ModelRole:
            self.fields[role] = forms.CharField(required=False, max_length=200, label=name_of(role))
            self.fields[role].widget.attrs |= {"list": "models-allowed", "class": "input"}


class TryForm(forms.Form):
    """Which role's model to ask."""

    role = forms.ChoiceField(choices=[(model_role.value, model_role.value) for model_role in ModelRole])


@require_GET
def models(request: PersonRequest, slug: str) -> HttpResponse:
    """Show what is set up."""
    return _page(request, member_of(request, slug, Role.ADMIN))


@require_POST
def try_out(request: PersonRequest, slug: str) -> HttpResponse:
    """Ask one model once and show what it said."""
    member = member_of(request, slug, Role.ADMIN)
    form = TryForm(request.POST)
    if not form.is_valid():
        return _page(request, member, status=422)
    tested = model_choice.try_model(ModelRole(form.cleaned_data["role"]), member.project)
    return _page(request, member, tested=tested)


@require_POST
def choose(request: PersonRequest, slug: str) -> HttpResponse:
    """Store the project's own models."""
    member = member_of(request, slug, Role.ADMIN)
    form = ModelsForm(request.POST)
    if form.is_valid():
        try:
            model_choice.choose_models(member, {ModelRole(name): value for name, value in form.cleaned_data.items()})
        except bindings.NotConfigured as fault:
            form.add_error(None, str(fault))
        else:
            messages.success(request, _("Models of this project saved."))
            return redirect("annotation:models", slug)
    return _page(request, member, form=form, status=422)


@require_POST
def forget(request: PersonRequest, slug: str) -> HttpResponse:
    """Delete what was learnt of one of the project's models, so that it is asked in full again."""
    member = member_of(request, slug, Role.ADMIN)
    name = request.POST.get("model", "")
    if not name or name not in {setup.binding.name for setup in model_choice.model_setups(member.project)}:
        return _page(request, member, status=422)
    model_facts.forget_model(name)
    messages.success(request, _("What was learnt of %(name)s is forgotten.") % {"name": name})
    return redirect("annotation:models", slug)


def _page(
    request: PersonRequest,
    member: Membership,
    *,
    form: ModelsForm | None = None,
    tested: model_choice.TrialReply | None = None,
    status: int = 200,
) -> HttpResponse:
    setups = model_choice.model_setups(member.project)
    form = form or ModelsForm(initial={setup.role: setup.chosen for setup in setups})
    for setup in setups:
        form.fields[setup.role].widget.attrs["placeholder"] = setup.binding.name if not setup.chosen else ""
    context = {
        "setups": setups,
        "rows": [(setup, form[setup.role]) for setup in setups],
        "tested": tested,
        # A pause is told once, however many roles it holds.
        "pauses": list({setup.pause.name: setup for setup in setups if setup.pause}.values()),
        "traits": model_traits.traits_of_models(setup.binding.name for setup in setups),
        "allowed": bindings.allowed_models(),
        "form": form,
        "no_language_model": not any(setup.binding.is_language_model for setup in setups),
    }
    return project_page(request, member, "annotation/models.html", context, status=status)
