"""A project's webhook over the API, for its admins. A project has one at most; its secret is told when it is made."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, member, problem, valid
from annotation.api.answers_campaign import MessageJson, NewWebhookJson, WebhookJson
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, RequestShape
from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.models import Delivery, Membership, Webhook
from annotation.webhooks import change
from annotation.webhooks.forms import HAPPENINGS, WebhookForm
from annotation.webhooks.views import SHOWN
from vocabulary.answers import answer


class WebhookShape(RequestShape):
    """Where messages go, and what about."""

    address = serializers.CharField(max_length=2000)
    happenings = BoundedList(
        child=serializers.ChoiceField([kind.value for kind, _name in HAPPENINGS]),
        min_length=1,
        max_length=len(HAPPENINGS),
    )


class Webhooks(APIView):
    """The webhook of a project, as a list of none or one."""

    @extend_schema(responses={200: list[WebhookJson]}, operation_id="projects_webhooks_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the webhook with its last messages, without its secret."""
        mine = member(request, slug, Role.ADMIN)
        return Response([_json(row) for row in Webhook.objects.filter(project=mine.project_id)])

    @extend_schema(request=WebhookShape, responses={201: NewWebhookJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Create the webhook. Its secret is told only in this answer. 409: the project has one already."""
        mine = member(request, slug, Role.ADMIN)
        secret = change.add(mine, **_values(request.data))
        if secret is None:
            return problem(409, "webhook_exists", "The project has a webhook already. Change it, or delete it first.")
        return Response(_json(Webhook.objects.get(project=mine.project_id)) | {"secret": secret}, status=201)


class OneWebhook(APIView):
    """A project's webhook."""

    @extend_schema(responses={200: WebhookJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show the webhook with its last messages, without its secret."""
        return Response(_json(_webhook(member(request, slug, Role.ADMIN), public_id)))

    @extend_schema(request=WebhookShape, responses={200: WebhookJson})
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Change the address or what is told. What is left out stays, and so does the secret."""
        mine = member(request, slug, Role.ADMIN)
        row = _webhook(mine, public_id)
        shape = valid(WebhookShape(data=request.data, partial=True))
        stored = {"address": row.address, "happenings": row.happenings}
        change.store(mine, **_values(stored | shape.validated_data))
        return Response(_json(_webhook(mine, public_id)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Remove the webhook with all its messages."""
        mine = member(request, slug, Role.ADMIN)
        change.remove(mine, _webhook(mine, public_id))
        return Response(status=204)


class WebhookSecret(APIView):
    """The secret of a webhook."""

    @extend_schema(request=None, responses={200: NewWebhookJson})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Make a new secret. It is told only in this answer, and messages are signed with it from now on."""
        mine = member(request, slug, Role.ADMIN)
        row = _webhook(mine, public_id)
        return Response(_json(row) | {"secret": change.renew_secret(mine, row)})


class WebhookTest(APIView):
    """A test message."""

    @extend_schema(request=None, responses={202: MessageJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Let a worker send a test message now. 409: the webhook is switched off, or other tests still wait."""
        mine = member(request, slug, Role.ADMIN)
        message = change.send_test(_webhook(mine, public_id))
        if message is None:
            return problem(409, "no_test_now", "Other test messages still wait, or the webhook is switched off.")
        return Response(_message(message), status=202)


def _webhook(admin: Membership, public_id: UUID) -> Webhook:
    return one(Webhook.objects, admin.project, public_id)


def _values(body: Any) -> dict[str, Any]:
    """Return the address and the happenings of a body, checked as the page's form checks them."""
    shape = valid(WebhookShape(data=body))
    values = cleaned(WebhookForm(shape.validated_data))
    return {"address": values["address"], "happenings": values["happenings"]}


def _json(row: Webhook) -> WebhookJson:
    newest = row.deliveries.order_by("-pk")[:SHOWN]
    return answer(WebhookJson, row, messages=[_message(delivery) for delivery in newest])


def _message(row: Delivery) -> MessageJson:
    return answer(MessageJson, row, event=row.happening, at=row.happened_at)
