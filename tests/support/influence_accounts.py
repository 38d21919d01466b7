"""Find accounts of the influence of priors."""

from collections.abc import Sequence

from annotation.domain.choices import Modality
from annotation.domain.statistics.influence import Account, Scope


def in_scope(accounts: Sequence[Account], modality: Modality, scope: Scope) -> list[Account]:
    """Return the accounts of one modality and scope."""
    return [entry for entry in accounts if entry.group.modality is modality and entry.group.scope is scope]
