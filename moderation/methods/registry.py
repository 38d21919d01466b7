"""All methods by name. To add a method, add it to the tuple below."""

from collections.abc import Iterable, Mapping

from moderation.methods import baseline, explain
from moderation.methods.antihateagent import declaration as antihateagent
from moderation.methods.arcade import declaration as arcade
from moderation.methods.debate_method import DebateMethod
from moderation.methods.predict import declaration as predict

METHODS: Mapping[str, DebateMethod] = {
    method.name: method
    for method in (baseline.METHOD, explain.METHOD, arcade.METHOD, predict.METHOD, antihateagent.METHOD)
}


class SharedFieldName(ValueError):
    """Two methods have a form field of the same name, so one would hide the other."""


def refuse_shared_field_names(methods: Iterable[DebateMethod], common: Iterable[str] = ()) -> None:
    """Raise SharedFieldName if a field of a method's form has the name of another one's, or of a `common` field."""
    owners = dict.fromkeys(common, "the form itself")
    for method in methods:
        for name in method.form.base_fields:
            if name in owners:
                raise SharedFieldName(f"The form of {method.name} has a field {name!r}, and so has {owners[name]}.")
            owners[name] = method.name
