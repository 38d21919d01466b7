"""The bodies that the API of the desk accepts."""

from typing import Any

from rest_framework import serializers

from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.domain.categories import CATEGORY_LIMIT
from annotation.domain.category_sets import BadSet, check_together
from annotation.domain.choices import Choose, Modality, Reason
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.models import Category, Project, Ruling
from moderation.desk import decide
from moderation.domain.statement import FIELDS, Field, FieldKind


class ChosenShape(RequestShape):
    """A choice of a category, or of several where the project takes several."""

    category = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=32767)
    categories = BoundedList(
        child=serializers.IntegerField(min_value=0, max_value=32767), default=list, max_length=CATEGORY_LIMIT
    )

    def chosen(self, project: Project) -> list[Category]:
        """Return the categories that were chosen, by code. Raises BadSet."""
        codes = {*self.validated_data["categories"], self.validated_data["category"]} - {None}
        rows = list(project.categories.filter(code__in=codes))
        if missing := sorted(codes - {row.code for row in rows}):
            raise BadSet("unknown_category", f"The project has no category {missing[0]}.")
        check_together([row.value() for row in rows], Choose(project.choose))
        return rows


_FIELDS_OF_ONE = {
    "category": Ruling.DECIDE,
    "categories": Ruling.DECIDE,
    "target_group": Ruling.DECIDE,
    "uphold": Ruling.DECIDE,
    "message": Ruling.NEW_ROUND,
    "count": Ruling.MORE_SEATS,
    "reason": Ruling.EXCLUDE,
}
"""The fields that only one ruling takes."""


class DecisionShape(ChosenShape):
    """A decision about a dispute as it was at `version`. The client makes a new `key` for each decision.

    `decide` takes `category` or `categories`, `target_group` and `uphold`; `new_round` takes `message`, `more_seats`
    takes `count`, `exclude` takes `reason`. A field of another ruling is refused, unless it is empty.
    """

    ruling = serializers.ChoiceField([str(ruling) for ruling in decide.ENDS])
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    key = serializers.UUIDField()
    rationale = serializers.CharField(max_length=NOTE_LIMIT)
    target_group = LineField(max_length=200, default="", allow_blank=True)
    uphold = BoundedList(child=serializers.ChoiceField([str(modality) for modality in Modality]), default=list)
    message = serializers.CharField(max_length=500, default="", allow_blank=True)
    count = serializers.IntegerField(default=0, min_value=0, max_value=100)
    reason = serializers.ChoiceField([str(reason) for reason in Reason], default=None, allow_null=True)
    replaces = serializers.UUIDField(
        default=None, allow_null=True, help_text="The caller's own proposal that waits for a second reviewer."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the decision. Raises ValidationError for a field that its ruling would drop."""
        for name, ruling in _FIELDS_OF_ONE.items():
            empty = attrs[name] is None if name == "category" else not attrs[name]  # 0 is a category
            if attrs["ruling"] != ruling and not empty:
                raise serializers.ValidationError({name: f"Only the ruling '{ruling}' takes this field."}, "not_taken")
        return attrs


class MissingShape(ChosenShape):
    """A category in place of a vote that was not sure."""

    note = serializers.CharField(max_length=NOTE_LIMIT, default="", allow_blank=True)


class SetAsideShape(RequestShape):
    """For whom a post is set aside: a reviewer by the name that the project shows. Without one it is parked.

    Who parks says why in `note`. Without `until` it stays so until somebody takes it.
    """

    reviewer = LineField(max_length=64, default="", allow_blank=True)
    note = serializers.CharField(max_length=500, default="", allow_blank=True)
    until = serializers.DateTimeField(default=None, allow_null=True)


class AppealShape(RequestShape):
    """An appeal against a decision."""

    grounds = serializers.CharField(max_length=NOTE_LIMIT)
    appellant = LineField(max_length=200, default="", allow_blank=True)


class StatementShape(RequestShape):
    """The fields of a statement of reasons, under the names of the register. What is left out is empty."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {field.name: _of_statement(field) for field in FIELDS}


class StatementSent(RequestShape):
    """The same as raw JSON, so that `statements.write` says what is wrong with each field."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {field.name: serializers.JSONField(required=False, allow_null=True) for field in FIELDS}


def _of_statement(field: Field) -> serializers.Field[Any, Any, Any, Any]:
    """Return a field of a statement as a body holds it."""
    most = f"At most {field.limit:,} characters."
    match field.kind:
        case FieldKind.FLAG:
            return serializers.BooleanField(required=False)
        case FieldKind.DAY:
            return serializers.CharField(required=False, allow_blank=True, help_text="A day like 2026-01-31.")
        case FieldKind.LINES:
            return BoundedList(child=serializers.CharField(), required=False, help_text=f"Texts. {most}")
        case _:
            return serializers.CharField(required=False, allow_blank=True, help_text=most)
