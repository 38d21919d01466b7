"""The bodies that the API of the desk accepts."""

from rest_framework import serializers

from annotation.api.shapes import RequestShape
from annotation.domain.categories import CATEGORY_LIMIT
from annotation.domain.category_sets import BadSet, check_together
from annotation.domain.choices import Choose, Modality, Reason
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.models import Category, Project
from moderation.desk import decide


class ChosenShape(RequestShape):
    """A choice of a category, or of several where the project takes several."""

    category = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=32767)
    categories = serializers.ListField(
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


class DecisionShape(ChosenShape):
    """A decision about a dispute as it was at `version`. The client makes a new `key` for each decision."""

    ruling = serializers.ChoiceField([str(ruling) for ruling in decide.ENDS])
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    key = serializers.UUIDField()
    rationale = serializers.CharField(max_length=NOTE_LIMIT)
    target_group = serializers.CharField(max_length=200, default="", allow_blank=True)
    uphold = serializers.ListField(
        child=serializers.ChoiceField([str(modality) for modality in Modality]), default=list
    )
    message = serializers.CharField(max_length=500, default="", allow_blank=True)
    count = serializers.IntegerField(default=0, min_value=0, max_value=100)
    reason = serializers.ChoiceField([str(reason) for reason in Reason], default=None, allow_null=True)


class MissingShape(ChosenShape):
    """A category in place of a vote that was not sure."""

    note = serializers.CharField(max_length=NOTE_LIMIT, default="", allow_blank=True)


class AppealShape(RequestShape):
    """An appeal against a decision."""

    grounds = serializers.CharField(max_length=NOTE_LIMIT)
    appellant = serializers.CharField(max_length=200, default="", allow_blank=True)
