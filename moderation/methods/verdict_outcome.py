"""The effect of a verdict on its item: none, or a dispute if the project wants one where models differ."""

from annotation.consensus import close
from annotation.domain.choices import Reason, Source, Stage
from annotation.models import Item
from moderation.methods.post_case import is_of_evaluation, item_decision_of_run, item_of_run, post_exists
from runs.domain.states import RunState
from runs.methods.method import Outcome
from runs.models import Run


def dispute_if_verdict_differs(run: Run, outcome: Outcome) -> bool:
    """Dispute the item if its consensus differs from the verdict and the project asks for that.

    An adjudicated item is not disputed again, and evaluations dispute nothing.

    Returns False if the item is gone.
    """
    if is_of_evaluation(run):
        return post_exists(run)
    stand = item_decision_of_run(run)
    if stand is None:
        return post_exists(run)  # nobody decides about a pasted text
    if outcome.state == RunState.SUCCEEDED and _differs(stand, outcome) and (item := item_of_run(run)) is not None:
        close.dispute_item(item, Reason.MODEL_CONFLICT)
    return True


def _differs(item: Item, outcome: Outcome) -> bool:
    """Return whether people agreed on something else.

    Categories are compared if the verdict names one: it differs if it is none of the final ones. Otherwise hateful or
    not is compared.
    """
    if item.stage != Stage.GOLD or item.category_source != Source.CONSENSUS or item.category is None:
        return False
    verdict_category, hateful = outcome.value.get("category"), outcome.value.get("hateful")
    if verdict_category is not None:
        return verdict_category not in item.codes
    return hateful is not None and bool(hateful) != item.category.hateful
