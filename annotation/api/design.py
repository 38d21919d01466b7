"""The design of a project over the API: its categories and questions, in the form of a design file."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem
from annotation.api.answers import DesignChanges, DesignFile
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedDict, BoundedList, RequestShape
from annotation.domain.choices import Choose, Role
from annotation.domain.design.file import BadDesign, as_json, read_design
from annotation.projects import design
from vocabulary.answers import answer


class DesignBody(RequestShape):
    """A design. Its rules are those of `docs/design-file.md`, which the site checks as a whole."""

    categories = BoundedList(
        child=BoundedDict(), help_text="Objects with code, name, hateful and more, in the order of the page."
    )
    choose = serializers.ChoiceField(
        [str(choose) for choose in Choose], required=False, help_text="How many categories an answer may name."
    )
    question = serializers.JSONField(required=False, help_text="A text, or an object of texts by language code.")
    questions = BoundedList(
        child=BoundedDict(),
        required=False,
        help_text="Objects with code, kind and more, in the order of the page.",
    )


class ProjectDesign(APIView):
    """What annotators of a project are asked, for its admins."""

    @extend_schema(responses={200: DesignFile})
    def get(self, request: Request, slug: str) -> Response:
        """Show the design in force, with retired categories."""
        mine = member(request, slug, Role.ADMIN)
        return Response(as_json(design.design_of(mine.project)))

    @extend_schema(request=DesignBody, responses={200: DesignChanges, 422: Problem})
    def put(self, request: Request, slug: str) -> Response:
        """Put a design in force. Categories and questions that it leaves out are retired; refused with `bad_design`."""
        mine = member(request, slug, Role.ADMIN)
        try:
            changed = design.change_design(mine.project, read_design(request.data), admin=mine)
        except BadDesign as bad:
            return problem(422, bad.code, bad.sentence)
        return Response(answer(DesignChanges, changed, changes=changed.categories))
