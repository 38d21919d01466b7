"""The rules of a project: the weights of the reward, and the words that no reply may contain. Admins change them."""

from typing import Any

from django.utils import timezone

from annotation.models import Membership, Project, record
from generation.counterspeech.forms import RulesForm
from generation.domain.event_verbs import GenerationVerb
from generation.models import CounterRules

WEIGHTS = ("weight_pc", "weight_aq", "weight_t")


def rules_of(project: Project) -> CounterRules:
    """Return the rules in force; the usual ones if nobody changed them."""
    return CounterRules.objects.filter(project=project).first() or CounterRules(project=project)


def written_rules(project: Project) -> dict[str, Any]:
    """Return the rules as the fields of the form hold them."""
    rules = rules_of(project)
    return {**{name: getattr(rules, name) for name in WEIGHTS}, "lexicon": "\n".join(rules.lexicon)}


def keep_rules(admin: Membership, form: RulesForm) -> CounterRules:
    """Store the rules of a valid form. They apply to what is asked from now on."""
    rules = rules_of(admin.project)
    for name, value in form.cleaned_data.items():
        setattr(rules, name, value)
    rules.changed_at = timezone.now()
    rules.save()
    record(GenerationVerb.COUNTER_RULES, project=admin.project, actor=admin, words=len(rules.lexicon))
    return rules
