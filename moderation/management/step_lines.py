"""Lines about the steps of runs, for the terminal: one when a step begins, or when it is done if that was at once."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from uuid import UUID

from django.db.models import Max, QuerySet

from moderation.debates.progress import most_steps, words_of
from runs.domain.states import RunState
from runs.models import Run, Turn

_WIDEST = 100


class StepLines:
    """Says what the steps of some runs do, each once. `names` are the items' external ids."""

    def __init__(self, runs: QuerySet[Run], names: Mapping[UUID, str], say: Callable[[str], None]) -> None:
        self._runs, self._names, self._say = runs, names, say
        self._printed: dict[int, set[str]] = defaultdict(set)
        self._last_turn: int = self._turns().aggregate(last=Max("id"))["last"] or 0

    def say_new(self) -> None:
        """Say which steps began or ended since the last time.

        What is under way is read first: a step that ends between the two readings is then said before the next one.
        """
        running = self._runs.filter(state=RunState.RUNNING).exclude(in_flight={})
        under_way = list(running.values_list("pk", "in_flight"))
        new = self._turns().filter(pk__gt=self._last_turn).order_by("pk").values_list("pk", "run_id", "key")
        keys: dict[int, list[str]] = defaultdict(list)
        for turn, run, key in new:
            self._last_turn = turn
            keys[run].append(key)
        for run, in_flight in under_way:
            keys[run] += sorted(in_flight)
        for run, steps in keys.items():
            unsaid = [key for key in dict.fromkeys(steps) if key not in self._printed[run]]
            if unsaid:
                self._say_steps(run, unsaid)

    def _turns(self) -> QuerySet[Turn]:
        return Turn.objects.filter(run__in=self._runs.values("pk"))

    def _say_steps(self, run_id: int, keys: list[str]) -> None:
        run = Run.objects.get(pk=run_id)
        most = most_steps(run)
        for key, step in zip(keys, words_of(run, list(run.turns.order_by("id")), keys), strict=True):
            self._printed[run_id].add(key)
            number = len(self._printed[run_id])
            steps_left = f", {max(0, most - number):,} left"
            about = f" {step.about[:_WIDEST]}" if step.about else ""
            self._say(f"{self._names.get(run.subject, run.public_id)}  step {number}{steps_left}: {step.what}{about}")
