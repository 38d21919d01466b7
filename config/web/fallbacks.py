"""Several stores of the same kind, the best one first: when one is away or its disk is full, the next one serves."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import redis
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

log = logging.getLogger(__name__)

Store = TypeVar("Store")
Answer = TypeVar("Answer")

REST_SECONDS = 5.0
"""How long a store that failed is left alone, so that requests do not wait for it one after the other."""


class Fallbacks(Generic[Store]):
    """Asks the first store that answers. The last one must always answer."""

    def __init__(self, stores: Sequence[Store], clock: Callable[[], float] = time.monotonic) -> None:
        self._stores, self._clock = stores, clock
        self._rests_until = [0.0] * len(stores)

    def ask(self, question: Callable[[Store], Answer]) -> Answer:
        """Return the answer of the first store that has one.

        Raises what the last store raises if none has.
        """
        for number, store in enumerate(self._stores[:-1]):
            if self._clock() < self._rests_until[number]:
                continue
            try:
                return question(store)
            except (redis.RedisError, OSError) as fault:  # what cannot be reached or written
                self._rests_until[number] = self._clock() + REST_SECONDS
                log.error("%s is away (%s); %s serves", _name(store), fault, _name(self._stores[number + 1]))
        return question(self._stores[-1])


def _name(store: object) -> str:
    return store if isinstance(store, str) else type(store).__name__


class FallbackCache(BaseCache):
    """The first of the caches in the option CACHES that answers (aliases in settings.CACHES).

    A one-time code that was used while the first cache was away is known to the fallback alone.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._fallbacks = _of_aliases(tuple(params["OPTIONS"]["CACHES"]))

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return self._fallbacks.ask(lambda alias: caches[alias].add(*args, **kwargs))

    def get(self, *args: Any, **kwargs: Any) -> Any:
        return self._fallbacks.ask(lambda alias: caches[alias].get(*args, **kwargs))

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._fallbacks.ask(lambda alias: caches[alias].set(*args, **kwargs))

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        return self._fallbacks.ask(lambda alias: caches[alias].touch(*args, **kwargs))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return self._fallbacks.ask(lambda alias: caches[alias].delete(*args, **kwargs))

    def clear(self) -> None:
        self._fallbacks.ask(lambda alias: caches[alias].clear())


_by_aliases: dict[tuple[str, ...], Fallbacks[str]] = {}


def _of_aliases(aliases: tuple[str, ...]) -> Fallbacks[str]:
    """Return the fallbacks of these caches. Threads have a cache object each, and share what is known to be away."""
    return _by_aliases.setdefault(aliases, Fallbacks(aliases))
