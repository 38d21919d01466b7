"""What every method in the registry must hold."""

from dataclasses import replace
from typing import Annotated

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from pydantic import Field

import builders
from annotation.management.request_options import argument_of, asked_places
from moderation.debates.forms import StageForm
from moderation.domain.prompt_options import PromptOptions
from moderation.methods.registry import METHODS, SharedFieldName, refuse_shared_field_names
from runs.domain.states import RunState
from runs.models import Run
from vocabulary.requests import Asked


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", METHODS)
def test_a_run_takes_no_more_calls_than_were_announced(name: str) -> None:
    builders.make_item(builders.make_project("garden"), external_id="one", text="Newcomers are weeds in our garden.")
    # No search engine is set up here, so the method that wants one judges by the post alone.
    alone = ("--retrieval", "none") if METHODS[name].gathers_evidence else ()
    call_command("run", name, "garden", *alone, "--items", "one", "--wait", "--threads", "1", "--json")
    run = Run.objects.get()
    assert run.state == RunState.SUCCEEDED, run.detail
    assert 1 <= run.turns.count() <= METHODS[name].calls_at_most(run.options, run.model_plan)


class VotesOptions(PromptOptions):
    votes: Annotated[int, Field(ge=1, le=9), Asked("Votes", name="rounds")] = 3


class AgainOptions(PromptOptions):
    again: Annotated[int, Field(ge=1, le=9), Asked("Votes again")] = 3


@pytest.mark.parametrize(("options", "whose"), [(VotesOptions, "arcade"), (AgainOptions, "the form itself")])
def test_two_fields_of_one_name_are_told_when_the_site_starts(options: type[PromptOptions], whose: str) -> None:
    panel = replace(METHODS["baseline"], name="panel", options=options)
    with pytest.raises(SharedFieldName, match=f"panel has a field .*, and so has {whose}"):
        refuse_shared_field_names([*METHODS.values(), panel], common=StageForm.base_fields)


def test_an_option_is_declared_once_and_asked_on_every_face() -> None:
    """A panel of three votes: its options alone make the field of the page, of an evaluation and of the commands."""

    class PanelOptions(PromptOptions):
        votes: Annotated[
            int, Field(ge=1, le=9), Asked("Votes", option="of the panel", metavar="N", compared="Votes of the panel")
        ] = 3
        kilobytes: Annotated[int, Field(ge=500, le=9_000), Asked("Megabytes", name="megabytes", unit=1_000)] = 4_000

    panel = replace(METHODS["baseline"], name="panel", options=PanelOptions)
    assert {name: field.initial for name, field in panel.form.base_fields.items()} == {"votes": 3, "megabytes": 4}
    assert panel.form.options({"votes": None, "megabytes": 7}) == {"kilobytes": 7_000}
    ((place, asked),) = asked_places(panel.options)
    assert place.field == "votes" and argument_of(place, asked)["type"] is int
    assert panel.comparison is not None and panel.comparison.fields["votes"].clean("9, 1 9") == [1, 9]
    with pytest.raises(ValidationError, match="from 1 to 9"):
        panel.comparison.fields["votes"].clean("10")
