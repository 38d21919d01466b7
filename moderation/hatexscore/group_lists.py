"""Lists of protected groups by name: the built-in ones, and those that a project brought along."""

from collections.abc import Sequence
from typing import Any

from django.core.validators import slug_re
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue
from annotation.models import Membership, Project, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.group_list_files import BadGroups, Groups
from moderation.models import Evaluation, GroupList, Score

LONGEST_NAME, MOST_LISTS, MOST_BYTES = 20, 50, 1_000_000


def names(project: Project | None) -> list[str]:
    """Return the lists that can be chosen: the built-in ones, then the project's own."""
    own = GroupList.objects.filter(project=project).values_list("name", flat=True) if project else ()
    return [*group_list_files.NAMES, *own]


def named(project: Project | None, name: str) -> Groups:
    """Return the list of this name. Raises BadGroups if there is none."""
    if project is not None and name not in group_list_files.NAMES:
        row = GroupList.objects.filter(project=project, name=name).first()
        if row is not None:
            return group_list_files.checked(row.groups)
    return group_list_files.built_in(name)


def lists_of(project: Project) -> Sequence[GroupList]:
    """Return the project's own lists by name."""
    return list(GroupList.objects.filter(project=project).select_related("created_by"))


def read(content: bytes) -> Groups:
    """Read a file's list: JSON, category → terms. Raises BadGroups if it is none."""
    if len(content) > MOST_BYTES:
        raise BadGroups(_("The file has more than %(most)d MB.") % {"most": MOST_BYTES // 1_000_000})
    try:
        terms_by_category = strict_json.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadGroups(
            _("The file is no JSON in UTF-8. Write one object: %(example)s.")
            % {"example": '{"category": ["term", "another term"]}'}
        ) from None
    except BadValue as bad:
        raise BadGroups(bad.reason) from None
    return group_list_files.checked(terms_by_category)


def add(project: Project, name: str, groups: Any, actor: Membership) -> GroupList:
    """Keep a list under a name of its own. Raises BadGroups."""
    name, checked_groups = name.strip(), group_list_files.checked(groups)
    if not slug_re.match(name) or len(name) > LONGEST_NAME:
        raise BadGroups(_("A name has 1 to %(most)d letters, digits, - or _.") % {"most": LONGEST_NAME})
    if name in group_list_files.NAMES:
        raise BadGroups(_("%(name)s is a built-in list: choose another name.") % {"name": name})
    if GroupList.objects.filter(project=project).count() >= MOST_LISTS:
        raise BadGroups(_("The project has %(most)d lists already; remove one.") % {"most": MOST_LISTS})
    try:
        with transaction.atomic():
            row = GroupList.objects.create(
                project=project,
                name=name,
                groups={key: list(terms) for key, terms in checked_groups.items()},
                created_by=actor,
            )
            record(ModerationVerb.GROUP_LIST_ADDED, project=project, actor=actor, name=name, terms=row.size)
    except IntegrityError:
        raise BadGroups(
            _("There is a list %(name)s already. Lists never change: give the new one another name.") % {"name": name}
        ) from None
    return row


def copy(first: Project, clone: Project) -> None:
    """Give a project made like another the same lists."""
    GroupList.objects.bulk_create(
        GroupList(project=clone, name=group_list.name, groups=group_list.groups)
        for group_list in GroupList.objects.filter(project=first)
    )


def remove(row: GroupList, actor: Membership) -> None:
    """Take a list out that nothing was scored with. Raises BadGroups."""
    used = Score.objects.filter(project=row.project, group_list=row.name).exists()
    used = used or Evaluation.objects.filter(project=row.project, wish__scores__group_list=row.name).exists()
    if used:
        raise BadGroups(_("Scores were taken with %(name)s, so it stays.") % {"name": row.name})
    with transaction.atomic():
        record(ModerationVerb.GROUP_LIST_REMOVED, project=row.project, actor=actor, name=row.name)
        row.delete()
