"""All methods by name. To add a method, add it to the tuple below."""

from collections.abc import Mapping

from moderation.methods import baseline, explain
from moderation.methods.antihateagent import declaration as antihateagent
from moderation.methods.arcade import declaration as arcade
from moderation.methods.debate_method import DebateMethod
from moderation.methods.predict import declaration as predict

METHODS: Mapping[str, DebateMethod] = {
    method.name: method
    for method in (baseline.METHOD, explain.METHOD, arcade.METHOD, predict.METHOD, antihateagent.METHOD)
}
