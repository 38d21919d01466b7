"""The prompt set of a run: the request's, else its project's, else `careful`. The run keeps its name and version."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Project
from moderation.methods.debate_method import BadChoice
from runs.methods.prompt_sets import CAREFUL, BadPromptSet, prompt_set, prompt_sets

APP = "moderation"
"""The app whose folder `prompts` holds the sets."""

_TITLES = (gettext_noop("Careful"), gettext_noop("As in the papers"), gettext_noop("Plain"))
"""The titles of the sets that ship, for the catalogues."""


def prompt_set_titles() -> dict[str, str]:
    """Return the titles of the sets that can be chosen, by name, `careful` first."""
    return {name: _(about.title) for name, about in prompt_sets(APP).items()}


def prompt_set_line(options: Mapping[str, Any]) -> str:
    """Return title and version of the set in a run's options; empty for runs that started without one.

    A set that is not on the site any more has its name for a title.
    """
    name, version = str(options.get("prompts") or ""), str(options.get("prompts_version") or "")
    if not name:
        return ""
    title = prompt_set_titles().get(name, name)
    return _("%(title)s, version %(version)s") % {"title": title, "version": version}


def with_prompts(project: Project | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the name and the present version of the prompt set.

    Raises BadChoice for a set that does not exist, and for another version than the one on the site.
    """
    name = options["prompts"] or (project.prompt_set if project else CAREFUL)
    try:
        chosen = prompt_set(APP, name)
    except BadPromptSet as bad:
        raise BadChoice(str(bad)) from None
    if options["prompts_version"] not in ("", chosen.version):
        sentence = _("The prompt set %(name)s has version %(version)s on this site, not %(wanted)s.")
        named = {"name": name, "version": chosen.version, "wanted": options["prompts_version"]}
        raise BadChoice(sentence % named)
    return {**options, "prompts": chosen.name, "prompts_version": chosen.version}


def check_prompts(options: Mapping[str, Any]) -> None:
    """Refuse to go on with a run whose prompt set is not on the site any more. Raises BadChoice."""
    if name := options.get("prompts"):
        with_prompts(None, {"prompts": name, "prompts_version": ""})
