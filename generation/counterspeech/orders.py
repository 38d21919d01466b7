"""Whether a post looks like an order to a model: by the rules, and by the model that reads it beside them."""

from collections.abc import Sequence, Set
from uuid import UUID

from annotation.core.extensions import order_readings
from generation.counterspeech.claims import post_id
from generation.models import Exchange
from providers.prompt_fencing import looks_like_an_order


def has_order(exchange: Exchange) -> bool:
    """Return whether the rules or the reader find an order in the post. The reader adds to the rules only."""
    return bool(with_orders([exchange]))


def with_orders(exchanges: Sequence[Exchange]) -> Set[UUID]:
    """Return the public ids of those in whose post the rules or the reader find an order. All are of one project."""
    by_rules = {row.public_id for row in exchanges if looks_like_an_order(row.hate or row.description)}
    readings, others = order_readings(), {post_id(row): row for row in exchanges if row.public_id not in by_rules}
    if readings is None or not others:
        return by_rules
    project = next(iter(others.values())).project.public_id
    return by_rules | {others[post].public_id for post in readings.with_orders(project, others)}


def ask_reader(exchange: Exchange) -> None:
    """Have the reader asked about the post, once; nothing happens where no reader is named."""
    readings = order_readings()
    if readings is not None and exchange.hate.strip():
        readings.ask(exchange.project, post_id(exchange))
