"""Two runs on one post, line by line: verdict, category, models, prompts, options; and whether they differ there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import floatformat
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.pages.display_names import name_of
from moderation.debates.disagreement import DISAGREEMENT
from moderation.debates.presenters import ShownRun
from runs.domain.states import RunState


@dataclass(frozen=True)
class ComparedLine:
    """What two runs have under one name; "" where a run has nothing."""

    name: str
    values: Sequence[str]

    @property
    def differs(self) -> bool:
        """Whether the two runs differ here."""
        return len(set(self.values)) > 1


def compared_lines(both: Sequence[ShownRun]) -> list[ComparedLine]:
    """Return the lines of two runs; one that is empty for both is left out."""
    lines = [
        ComparedLine(_("Method"), [str(shown.method.label) for shown in both]),
        ComparedLine(_("Verdict"), [_verdict(shown) for shown in both]),
        ComparedLine(_("Category"), [_category(shown) for shown in both]),
        *_disagreement(both),
        *_models(both),
        ComparedLine(_("Prompts"), [shown.prompts for shown in both]),
        *_options(both),
    ]
    return [line for line in lines if any(line.values)]


def _verdict(shown: ShownRun) -> str:
    if shown.run.state != RunState.SUCCEEDED:
        return name_of(shown.run.state)
    if shown.led_astray:
        return _("steered")
    hateful = shown.outcome.get("hateful")
    if hateful is None:
        return _("No conclusion")
    return _("hateful") if hateful else _("not hateful")


def _category(shown: ShownRun) -> str:
    if shown.category is None or shown.led_astray:
        return ""
    return f"{shown.category.key or shown.category.code} {shown.category.name}"


def _disagreement(both: Sequence[ShownRun]) -> Iterator[ComparedLine]:
    """Yield the figures of the disagreement inside the debates that both have."""
    first, second = ({row[0]: row for row in DISAGREEMENT.table(shown.outcome).rows} for shown in both)
    for name in first:
        if name in second:
            figures = [why or floatformat(value, -2) for _name, value, *_ends, why in (first[name], second[name])]
            yield ComparedLine(capfirst(str(name)), list(map(str, figures)))


def _models(both: Sequence[ShownRun]) -> Iterator[ComparedLine]:
    for role in dict.fromkeys(role for shown in both for role in shown.run.model_plan):
        name = name_of(role)
        yield ComparedLine(name[:1].upper() + name[1:], [shown.run.model_plan.get(role, "") for shown in both])


def _options(both: Sequence[ShownRun]) -> Iterator[ComparedLine]:
    """Yield the options that differ, as the form for starting names them; methods that differ have no common ones."""
    first, second = (shown.run.options for shown in both)
    if both[0].method is not both[1].method:
        return
    for name, field in both[0].method.form.by_option().items():
        values = [first.get(name), second.get(name)]
        if values[0] != values[1]:
            words = dict(getattr(field, "choices", ()))
            yield ComparedLine(str(field.label or name), [_option(value, words) for value in values])


def _option(value: Any, words: dict[Any, Any]) -> str:
    if isinstance(value, bool):
        return pgettext("option", "yes") if value else pgettext("option", "no")
    return "" if value is None else str(words.get(value, value))
