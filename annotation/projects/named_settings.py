"""The settings of a project by name, as JSON values: shown and changed over the API and by a command."""

from collections.abc import Mapping
from typing import Any

from annotation.models import Membership, Project
from annotation.projects.forms_settings import SettingsForm
from annotation.projects.settings import change_settings

NAMES: tuple[str, ...] = tuple(SettingsForm.base_fields)
"""All settings that the page has."""


class UnknownSetting(ValueError):
    """A project has no setting of this name."""

    def __init__(self, name: str) -> None:
        self.sentence = f"There is no setting {name!r}. There are: {', '.join(sorted(NAMES))}."
        super().__init__(self.sentence)


def settings_of(project: Project) -> dict[str, Any]:
    """Return the settings in force by name."""
    return {name: getattr(project, name) for name in NAMES}


def form_for(project: Project, changes: Mapping[str, Any]) -> SettingsForm:
    """Return the page's form as if these settings were changed on the page and the others left.

    Raises UnknownSetting.
    """
    for name in changes:
        if name not in NAMES:
            raise UnknownSetting(name)
    return SettingsForm({**settings_of(project), **changes}, instance=project)


def store_settings(admin: Membership | None, form: SettingsForm) -> list[str]:
    """Store what a valid form changes; return the names of the changed settings.

    Raises OwnSecondFactorMissing, and then changes nothing.
    """
    changed = [name for name in form.changed_data if form.cleaned_data[name] != form.initial[name]]
    change_settings(admin, form.save(commit=False), changed)
    return changed
