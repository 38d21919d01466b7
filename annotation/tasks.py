"""The bell for what takes longer than a page may: a message carries a row's id and may come late, twice or never."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from annotation import changing_many, competence, import_work, release_orders

log = logging.getLogger(__name__)


@shared_task(name="annotation.tasks.perform_import")
def perform_import(import_id: int) -> None:
    """Check or store an uploaded file, if it is still due."""
    import_work.perform(import_id)


def ring_for_import(import_id: int) -> bool:
    """Ring; False while the bell is away (the sweeper rings later)."""
    try:
        perform_import.delay(import_id)
    except (OperationalError, OSError) as fault:
        log.warning("the bell is away (%s); the sweeper rings later", type(fault).__name__)
        return False
    return True


def ring_for_imports_left_behind() -> int:
    """Ring for imports nobody is at; how many."""
    return sum(ring_for_import(import_id) for import_id in import_work.left_behind())


@shared_task(name="annotation.tasks.build_release")
def build_release(order_id: int) -> None:
    """Build a release that was ordered, if it is still due."""
    release_orders.perform(order_id)


def ring_for_release(order_id: int) -> bool:
    """Ring; False while the bell is away (the sweeper rings later)."""
    try:
        build_release.delay(order_id)
    except (OperationalError, OSError) as fault:
        log.warning("the bell is away (%s); the sweeper rings later", type(fault).__name__)
        return False
    return True


def ring_for_releases_left_behind() -> int:
    """Ring for ordered releases nobody is at; how many."""
    return sum(ring_for_release(order_id) for order_id in release_orders.left_behind())


@shared_task(name="annotation.tasks.fit_competence")
def fit_competence(estimate_id: int) -> None:
    """Fit a model of competence that was asked for, if it is still due."""
    competence.perform(estimate_id)


def ring_for_competence(estimate_id: int) -> bool:
    """Ring; False while the bell is away (the sweeper rings later)."""
    try:
        fit_competence.delay(estimate_id)
    except (OperationalError, OSError) as fault:
        log.warning("the bell is away (%s); the sweeper rings later", type(fault).__name__)
        return False
    return True


def ring_for_competence_left_behind() -> int:
    """Ring for estimates nobody is at; how many."""
    return sum(ring_for_competence(estimate_id) for estimate_id in competence.left_behind())


@shared_task(name="annotation.tasks.change_many")
def change_many(order_id: int) -> None:
    """Change many items as ordered, if it is still due."""
    changing_many.perform(order_id)


def ring_for_change(order_id: int) -> bool:
    """Ring; False while the bell is away (the sweeper rings later)."""
    try:
        change_many.delay(order_id)
    except (OperationalError, OSError) as fault:
        log.warning("the bell is away (%s); the sweeper rings later", type(fault).__name__)
        return False
    return True


def ring_for_changes_left_behind() -> int:
    """Ring for changes of many items nobody is at; how many."""
    return sum(ring_for_change(order_id) for order_id in changing_many.left_behind())
