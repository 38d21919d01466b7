"""Teams: groups of k people, each with batches of its own or with a share of one batch.

First a plan is made and shown; it is carried out only if it is still the same. The distribution is always the same for
the same input: people by their pseudonyms, batches by their names, items in the order of their import.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.assignment.release_seats import reset_idle_members
from annotation.batches import state as batch_state
from annotation.core.transactions import short_transaction
from annotation.domain.choices import BatchState, EventVerb, Stage
from annotation.domain.workforce.teams import dealt, groups_of
from annotation.models import Batch, Item, Membership, Project, record

_MOVABLE = (Stage.IMPORTED, Stage.READY, Stage.LABELLING)
_NAME_LENGTH = 100


class PlanChanged(Exception):
    """The plan that was shown is not the plan of now."""

    code = "plan_changed"


@dataclass(frozen=True)
class Team:
    """A group of people and the batches that it gets."""

    number: int
    people: Sequence[Membership]
    batches: Sequence[str]
    """Names of batches; for a share, the name of the new batch."""
    items: int


@dataclass(frozen=True)
class Plan:
    """The teams and their batches. `begun` items of a batch that is split stay in it."""

    teams: Sequence[Team]
    split: str | None
    begun: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to share out: all items of the batch are begun or closed."""
        return self.split is not None and not any(team.items for team in self.teams)

    @property
    def digest(self) -> str:
        """A text of everything that must be unchanged when the plan is carried out."""
        return ";".join(
            f"{','.join(str(person.public_id) for person in team.people)}:{len(team.batches)}:{team.items}"
            for team in self.teams
        )


def plan(project: Project, people: Sequence[Membership], size: int, batches: Sequence[str], *, split: bool) -> Plan:
    """Put the people into groups of at least `size`, and distribute the batches, or the items of the one to be split.

    Raises TooFewPeople (`domain.workforce.teams`).
    """
    groups = groups_of(sorted(people, key=lambda member: member.pseudonym), size)
    if split:
        name = batches[0]
        shares = dealt(len(_unbegun(project, name)), len(groups))
        names = _names(project, name, len(groups))
        teams = [
            Team(number, group, [own], items)
            for number, (group, own, items) in enumerate(zip(groups, names, shares, strict=True), 1)
        ]
        all_open = Item.objects.filter(project=project, batch=name, stage=Stage.LABELLING, taken__gt=0).count()
        return Plan(teams, name, begun=all_open)
    teams = []
    for number, group in enumerate(groups):
        own = sorted(batches)[number :: len(groups)]
        items = Item.objects.filter(project=project, batch__in=own).exclude(stage=Stage.KNOWN).count()
        teams.append(Team(number + 1, group, own, items))
    return Plan(teams, None)


def carry_out(project: Project, actor: Membership | None, team_plan: Plan, seen_digest: str) -> None:
    """Create the teams. Raises PlanChanged if the plan is not the one that was seen."""
    if team_plan.digest != seen_digest:
        raise PlanChanged
    if team_plan.split is None:
        for team in team_plan.teams:
            _assign(project, actor, team.batches, team.people)
        return
    origin = Batch.objects.filter(project=project, name=team_plan.split).first()
    state = BatchState(origin.state) if origin else BatchState.OPEN
    names = [team.batches[0] for team in team_plan.teams]
    # The rows come first, so that no item is ever in a batch that is open to everybody.
    batch_state.ensure_batches(project, names, state)
    for team in team_plan.teams:
        _assign(project, actor, team.batches, team.people)
    items = _unbegun(project, team_plan.split)
    for number, name in enumerate(names):
        share = items[number :: len(names)]
        for start in range(0, len(share), batch_state.AT_ONCE):
            _move(project, team_plan.split, share[start : start + batch_state.AT_ONCE], name)
    record(EventVerb.BATCH_SPLIT, project=project, actor=actor, items=len(items), teams=len(names))
    reset_idle_members(project)


def _assign(project: Project, actor: Membership | None, names: Sequence[str], people: Sequence[Membership]) -> None:
    batch_state.ensure_batches(project, names)
    for batch in Batch.objects.filter(project=project, name__in=names):
        batch_state.limit_batch(batch, actor, people)


@short_transaction
def _move(project: Project, source: str, items: Sequence[int], name: str) -> None:
    """Move the items into the batch, except those that somebody began or moved in the meantime."""
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    rows = Item.objects.filter(pk__in=items, batch=source, taken=0, stage__in=_MOVABLE)
    rows.update(batch=name, queue=batch_state.read_batch_queues(project).of(name))


def _unbegun(project: Project, name: str) -> list[int]:
    """Return the items of the batch without held seats and labels, in the order of their import."""
    items = Item.objects.filter(project=project, batch=name, stage__in=_MOVABLE, taken=0)
    return list(items.order_by("pk").values_list("pk", flat=True))


def _names(project: Project, name: str, count: int) -> list[str]:
    """Return names for the shares of a batch that no batch has yet."""
    used = set(Batch.objects.filter(project=project).values_list("name", flat=True))
    used |= set(batch_state.batch_names(project))
    names: list[str] = []
    number = 1
    while len(names) < count:
        ending = f" team {number}" if name else f"team {number}"
        fresh = name[: _NAME_LENGTH - len(ending)] + ending
        if fresh not in used:
            names.append(fresh)
        number += 1
    return names
