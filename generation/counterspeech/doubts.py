"""What speaks against asking models about a post; the site asks people first, on every face."""

from django.utils.translation import gettext as _

from annotation.models import Item, Project
from generation.counterspeech import request
from generation.counterspeech.orders import has_order
from generation.counterspeech.presenters import is_not_hateful
from generation.domain.counterspeech.writers import WriterMode
from generation.models import Exchange
from providers.prompt_fencing import looks_like_an_order


class NotConfirmed(ValueError):
    """Somebody has to confirm first; the message says why. `code` names the reason."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def doubt_opening(item: Item | None) -> None:
    """Raise NotConfirmed if people decided that the post is not hateful."""
    if is_not_hateful(item):
        raise NotConfirmed("not_hateful", _("People decided that this post is not hateful."))


def doubt_candidates_for(item: Item, mode: WriterMode | None) -> None:
    """Raise NotConfirmed as `doubt_opening` and `doubt_bare_order` do, whether the item's desk is open or not."""
    doubt_opening(item)
    doubt_bare_order(item, mode)


def doubt_candidates_of(exchange: Exchange, mode: WriterMode | None) -> None:
    """Raise NotConfirmed as `doubt_opening` and `doubt_bare_text` do, of a post that is answered already."""
    doubt_opening(exchange.item)
    doubt_bare_text(exchange.project, exchange.hate or exchange.description, mode, is_read=has_order(exchange))


def doubt_bare_order(item: Item, mode: WriterMode | None) -> None:
    """Raise NotConfirmed as `doubt_bare_text` does; of an item without text its description would be sent."""
    hate = item.text or next(iter(item.exchanges.values_list("description", flat=True)), "")
    doubt_bare_text(item.project, hate, mode)


def doubt_bare_text(project: Project, hate: str, mode: WriterMode | None, *, is_read: bool = False) -> None:
    """Raise NotConfirmed if this text looks like an order to a model and would be sent bare.

    `mode` is how the writer is asked; None means as its model's profile says. `is_read`: the reader finds an order in
    it.
    """
    asked = mode or request.mode_of(request.writer_profile(project))
    if asked == WriterMode.PLAIN and (is_read or looks_like_an_order(hate)):
        sentence = _("The post looks like an order to a model, and this way of asking sends it bare.")
        raise NotConfirmed("looks_like_an_order", sentence)
