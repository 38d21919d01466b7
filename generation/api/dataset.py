"""The dataset of counterspeech and the project's rules over the API."""

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, member, valid
from annotation.api.pages import refuse_unknown
from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.domain.choices import Role
from annotation.domain.columns.items import INJECTED
from generation.api.answers_desk import DatasetFigures, RulesJson
from generation.counterspeech import rules
from generation.counterspeech.forms import MOST_LEXICON, RulesForm
from generation.files import export
from generation.models import CounterRules, Exemplar
from generation.practice import dataset_files
from vocabulary.answers import answer


class Dataset(APIView):
    """The approved replies in figures."""

    @extend_schema(operation_id="projects_counterspeech_dataset", responses={200: DatasetFigures})
    def get(self, request: Request, slug: str) -> Response:
        """Show how many replies are approved, by target group and type, their length, their splits, and the files."""
        project = member(request, slug, Role.REVIEWER, Role.ADMIN).project
        imported = Exemplar.objects.filter(project=project, reply=None).count()
        return Response({**export.figures(project), "imported": imported, "files": list(dataset_files.WORDS)})


class DatasetFile(APIView):
    """A file of the dataset."""

    @extend_schema(
        operation_id="projects_counterspeech_dataset_file",
        parameters=[
            OpenApiParameter(
                INJECTED, str, enum=["1"], description="1: files for training hold rows about samples too."
            ),
            OpenApiParameter(
                dataset_files.IMPORTED, str, enum=["1"], description="1: conan holds imported examples too."
            ),
        ],
        responses={(200, dataset_files.JSONL): bytes, (200, dataset_files.CSV): bytes},
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """Return a file that the dataset names."""
        mine = member(request, slug, Role.ADMIN)
        refuse_unknown(request, INJECTED, dataset_files.IMPORTED)
        return dataset_files.dataset_file(mine, name, request.query_params)


class CounterRulesShape(RequestShape):
    """The rules. What it does not name stays as it is; nought switches a part of the reward off."""

    weight_pc = serializers.FloatField(min_value=0, max_value=100, required=False)
    weight_aq = serializers.FloatField(min_value=0, max_value=100, required=False)
    weight_t = serializers.FloatField(min_value=0, max_value=100, required=False)
    lexicon = BoundedList(child=LineField(max_length=120), max_length=MOST_LEXICON, required=False)


class Rules(APIView):
    """The rules of the project."""

    @extend_schema(operation_id="projects_counterspeech_rules", responses={200: RulesJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the weights of the reward, and the words that no reply may contain."""
        return Response(_rules_json(rules.rules_of(member(request, slug, Role.ADMIN).project)))

    @extend_schema(
        operation_id="projects_counterspeech_rules_change", request=CounterRulesShape, responses={200: RulesJson}
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change the rules. They apply to everything that is asked from now on."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(CounterRulesShape(data=request.data))
        said = dict(shape.validated_data)
        if "lexicon" in said:
            said["lexicon"] = "\n".join(said["lexicon"])
        form = RulesForm(rules.written_rules(mine.project) | said)
        cleaned(form)
        return Response(_rules_json(rules.keep_rules(mine, form)))


def _rules_json(row: CounterRules) -> RulesJson:
    return answer(RulesJson, row)
