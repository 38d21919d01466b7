"""The page of a project's webhook, for its admins."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.outgoing import MOST_ATTEMPTS, MOST_FAILURES, DeliveryState
from annotation.models import Membership, Webhook
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.webhooks import change
from annotation.webhooks.forms import FAULTS, NAMES, WebhookForm

SHOWN = 30


@never_cache
@require_http_methods(["GET", "POST"])
def webhook(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and store the project's webhook. A new secret is shown once, in this response only."""
    admin = member_of(request, slug, Role.ADMIN)
    form = WebhookForm(request.POST) if request.method == "POST" else None
    if form is None or not form.is_valid():
        return _page(request, admin, form)
    secret = change.store(admin, form.cleaned_data["address"], form.cleaned_data["happenings"])
    if secret:
        return _page(request, admin, secret=secret)
    messages.success(request, _("Saved."))
    return redirect("annotation:webhook", slug)


@never_cache
@require_POST
def act(request: PersonRequest, slug: str) -> HttpResponse:
    """Send a test message, make a new secret, switch on again, or remove the webhook."""
    admin = member_of(request, slug, Role.ADMIN)
    row = found(Webhook.objects.filter(project=admin.project_id).first())
    match request.POST.get("act"):
        case "test" if change.send_test(row):
            messages.success(request, _("A worker sends a test message now. Load this page again to see the answer."))
        case "test":
            messages.error(request, _("Other test messages still wait, or the webhook is switched off."))
        case "secret":
            return _page(request, admin, secret=change.renew_secret(admin, row))
        case "on":
            change.switch_on(admin, row)
            messages.success(request, _("The webhook is on again; what waits is sent now."))
        case "remove":
            change.remove(admin, row)
            messages.success(request, _("The webhook is removed."))
        case _:
            raise Http404
    return redirect("annotation:webhook", slug)


def _page(request: PersonRequest, admin: Membership, form: WebhookForm | None = None, secret: str = "") -> HttpResponse:
    row = Webhook.objects.filter(project=admin.project_id).first()
    initial = {"address": row.address, "happenings": row.happenings} if row else {}
    context: dict[str, Any] = {
        "form": form or WebhookForm(initial=initial),
        "webhook": row,
        "secret": secret,
        "attempts": MOST_ATTEMPTS,
        "failures": MOST_FAILURES,
        "deliveries": _shown(row) if row else [],
    }
    return project_page(request, admin, "annotation/webhook.html", context, status=422 if form else 200)


def _shown(row: Webhook) -> list[dict[str, Any]]:
    names: dict[str, Any] = {kind.value: name for kind, name in NAMES}
    states = {
        DeliveryState.WAITING: _("waits"),
        DeliveryState.DELIVERED: _("delivered"),
        DeliveryState.GIVEN_UP: _("given up"),
    }
    return [
        {
            "row": delivery,
            "name": names.get(delivery.happening, delivery.happening),
            "state": states[DeliveryState(delivery.state)],
            "problem": FAULTS.get(delivery.problem, delivery.problem),
        }
        for delivery in row.deliveries.order_by("-pk")[:SHOWN]
    ]
