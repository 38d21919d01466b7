"""The bodies that the API of the desk accepts."""

from typing import Any

from rest_framework import serializers

from annotation.domain.choices import Modality, Reason
from annotation.domain.text_rules import NOTE_LIMIT
from moderation.desk import decide


class DecisionShape(serializers.Serializer[Any]):
    """A decision about a dispute as it was at `version`. The client makes a new `key` for each decision."""

    ruling = serializers.ChoiceField([str(ruling) for ruling in decide.ENDS])
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    key = serializers.UUIDField()
    rationale = serializers.CharField(max_length=NOTE_LIMIT)
    category = serializers.IntegerField(default=None, allow_null=True)
    target_group = serializers.CharField(max_length=200, default="", allow_blank=True)
    uphold = serializers.ListField(
        child=serializers.ChoiceField([str(modality) for modality in Modality]), default=list
    )
    message = serializers.CharField(max_length=500, default="", allow_blank=True)
    count = serializers.IntegerField(default=0, min_value=0, max_value=100)
    reason = serializers.ChoiceField([str(reason) for reason in Reason], default=None, allow_null=True)


class MissingShape(serializers.Serializer[Any]):
    """A category in place of a vote that was not sure."""

    category = serializers.IntegerField()
    note = serializers.CharField(max_length=NOTE_LIMIT, default="", allow_blank=True)


class AppealShape(serializers.Serializer[Any]):
    """An appeal against a decision."""

    grounds = serializers.CharField(max_length=NOTE_LIMIT)
    appellant = serializers.CharField(max_length=200, default="", allow_blank=True)
