"""What this process knows of its models from their servers' own refusals.

The models' threads learn and use no database. A thread that has one takes what is new (`take_new`) and stores it, and
puts in what other processes learnt (`know`); see `runs/queue/model_facts.py`.
"""

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from providers.profiles import Fact, Lesson

_HABITS = (Fact.REMINDED, Fact.WORDY)
_HABIT = 2
"""After so many questions in a row that had to be asked twice, the next is asked as the second time."""
_MOST_PER_MODEL = 40
"""A server that rejects something new each time must not fill the memory or the table."""


@dataclass(frozen=True)
class LearntFact:
    """A lesson about the model `name` (`server:model`), and the sentence of the server that taught it."""

    name: str
    lesson: Lesson
    sentence: str = ""


class LearntFacts:
    """The lessons about all models that are known here, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Lesson, ...]] = {}
        self._new: list[LearntFact] = []
        self._in_a_row: dict[tuple[str, str, Fact], int] = {}

    def about(self, name: str) -> tuple[Lesson, ...]:
        """Return the lessons about one model, in the order in which they were learnt."""
        return self._known.get(name, ())

    def learn(self, fact: LearntFact) -> None:
        """Remember one fact; do nothing if it is known."""
        with self._lock:
            known = self._known.get(fact.name, ())
            if not _is_known(known, fact.lesson) and len(known) < _MOST_PER_MODEL:
                self._known[fact.name] = _with(known, fact.lesson)
                self._new.append(fact)

    def note_answer(self, name: str, role: str, reasons: Collection[Fact]) -> None:
        """Note why a question of this role had to be asked more than once, if it had. A habit is learnt."""
        for fact in _HABITS:
            key = name, role, fact
            with self._lock:
                in_a_row = self._in_a_row[key] = self._in_a_row.get(key, 0) + 1 if fact in reasons else 0
            if in_a_row >= _HABIT:
                self.learn(LearntFact(name, Lesson(fact)))

    @property
    def has_new(self) -> bool:
        """Whether something was learnt here that nobody has taken."""
        return bool(self._new)

    def take_new(self) -> list[LearntFact]:
        """Return what was learnt here since the last call."""
        with self._lock:
            new, self._new = self._new, []
        return new

    def give_back(self, facts: Collection[LearntFact]) -> None:
        """Put back what could not be stored, for the next `take_new`."""
        with self._lock:
            self._new = [*facts, *self._new]

    def know(self, stored: Iterable[LearntFact]) -> None:
        """Replace what is known by what is stored and by what is new here."""
        with self._lock:
            self._known = _by_name([*stored, *self._new])


def _by_name(facts: Iterable[LearntFact]) -> dict[str, tuple[Lesson, ...]]:
    known: dict[str, tuple[Lesson, ...]] = {}
    for fact in facts:
        known[fact.name] = _with(known.get(fact.name, ()), fact.lesson)
    return known


def _with(lessons: tuple[Lesson, ...], lesson: Lesson) -> tuple[Lesson, ...]:
    """Return the lessons and one more, without those that it takes the place of."""
    if _is_known(lessons, lesson):
        return lessons
    return (*(earlier for earlier in lessons if not lesson.replaces(earlier)), lesson)


def _is_known(lessons: tuple[Lesson, ...], lesson: Lesson) -> bool:
    return any(lesson.is_told_by(earlier) for earlier in lessons)


site_facts = LearntFacts()
"""What the site's models were seen to take, in this process."""
