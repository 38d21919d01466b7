"""What a verdict does to its item: nothing, but that a project may want to hear where it differs from its people."""

from annotation import consensus
from annotation.domain.words import Reason, Source, Stage
from annotation.models import Item
from moderation.methods.post import is_aside, is_there, item_of, stand_of
from runs.domain.states import RunState
from runs.method import Outcome
from runs.models import Run


def settle(run: Run, outcome: Outcome) -> bool:
    """Dispute the item where its consensus differs from the verdict and the project asks for that.

    False if the item is gone. What an adjudicator has decided is not disputed again; an evaluation disputes nothing.
    """
    if is_aside(run):
        return is_there(run)
    stand = stand_of(run)
    if stand is None:
        return False
    if outcome.state == RunState.SUCCEEDED and _differs(stand, outcome) and (item := item_of(run)) is not None:
        consensus.dispute(item, Reason.MODEL_CONFLICT)
    return True


def _differs(item: Item, outcome: Outcome) -> bool:
    """Whether people agreed on something else: on the category where the verdict names one, else on hateful or not."""
    if item.stage != Stage.GOLD or item.category_source != Source.CONSENSUS or item.category is None:
        return False
    said, hateful = outcome.value.get("category"), outcome.value.get("hateful")
    if said is not None:
        return bool(said != item.category.code)
    return hateful is not None and bool(hateful) != item.category.hateful
