"""Posts that are answered and their explanations, as the API shows them."""

from collections.abc import Sequence

from generation.api.answers import CandidatesQueued
from generation.api.answers_desk import ExchangeJson, ExchangeRow, ExplanationsJson, ModelsWork, SpentJson
from generation.counterspeech.orders import has_order, with_orders
from generation.counterspeech.presenters import is_not_hateful
from generation.counterspeech.request import Asked
from generation.domain.counterspeech.safety_flags import leads_to_a_person
from generation.methods.counterspeech import candidates, explain
from generation.models import Exchange, Explanations
from runs.models import Run
from runs.spending.cost import RunSpent, spent_by
from vocabulary.answers import answer


def exchange_rows(exchanges: Sequence[Exchange]) -> list[ExchangeRow]:
    """Return posts of one project that are answered, without what models do for them."""
    ordered = with_orders(exchanges)
    return [_row(exchange, looks_like_order=exchange.public_id in ordered) for exchange in exchanges]


def _row(exchange: Exchange, *, looks_like_order: bool) -> ExchangeRow:
    return answer(
        ExchangeRow,
        exchange,
        text=exchange.hate,
        picture_description=exchange.description or None,
        opened_at=exchange.created_at,
        not_hateful=is_not_hateful(exchange.item),
        looks_like_order=looks_like_order,
        leads_to_person=bool(leads_to_a_person(exchange.hate)),
    )


def exchange_json(exchange: Exchange) -> ExchangeJson:
    """Return a post that is answered, with the explanations in force and what models do for it."""
    newest = exchange.explanations.select_related("author").first()
    return {
        **_row(exchange, looks_like_order=has_order(exchange)),
        "explanations": explanations_json(newest) if newest else None,
        "explaining": models_work(_newest(exchange, explain.NAME)),
        "writing": models_work(_newest(exchange, candidates.NAME)),
    }


def explanations_json(version: Explanations) -> ExplanationsJson:
    """Return a version of the explanations."""
    return answer(ExplanationsJson, version, run=version.run_id)


def models_work(run: Run | None) -> ModelsWork | None:
    """Return where a run stands. Returns None if there is none."""
    return None if run is None else answer(ModelsWork, run, run=run, spent=_spent(spent_by(run)))


def _spent(spent: RunSpent) -> SpentJson:
    return answer(SpentJson, spent, cost=None if spent.cost is None else float(spent.cost))


def queued(exchange: Exchange, asked: Asked) -> CandidatesQueued:
    """Return the run that writes candidates for a post."""
    return answer(CandidatesQueued, asked, item=exchange.item, exchange=exchange)


def _newest(exchange: Exchange, method: str) -> Run | None:
    return Run.objects.filter(project=exchange.project.public_id, subject=exchange.public_id, method=method).last()
