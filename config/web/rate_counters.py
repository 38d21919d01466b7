"""Where requests are counted: times by key, in files, in Redis or in memory.

Each time has the ticket of its request. While a ticket is open, nobody knows whether its request will count: it takes a
place, so that no more are let in at once than the rate allows, and it can be given back.
"""

import fcntl
import hashlib
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import redis

from config.web.rate_limit_table import Rate

LONGEST_CHECK = 10.0
"""The seconds after which a ticket that is still open is taken for one that a killed process left behind."""
_SETTLED = 0
"""Stands in the place of a ticket once its request counts for good."""

Spent = tuple[float, int]
"""The time of a request, and its ticket."""


@dataclass(frozen=True)
class Full:
    """No place is left for `wait` seconds. `under_way`: sooner, if one of those that fill it turns out not to count."""

    wait: float
    under_way: bool


class Counters(Protocol):
    """Times of requests by key, shared by all workers."""

    def spend(self, key: str, rate: Rate, ticket: int) -> Full | None:
        """Take a place for the request with this ticket.

        Returns None if it got one.
        """

    def settle(self, key: str, ticket: int) -> None:
        """Let the request with this ticket count for good."""

    def give_back(self, key: str, ticket: int) -> None:
        """Remove the time of the request with this ticket, and no other, unless it is settled."""


def spend_one(spent: Sequence[Spent], rate: Rate, ticket: int, now: float) -> tuple[list[Spent], Full | None]:
    """Return the times that still count, with one for this ticket if there is a place, and whether there was none."""
    counted = [(when, owner) for when, owner in spent if now - rate.seconds < when <= now]
    if len(counted) < rate.count:
        return [*counted, (now, ticket)], None
    under_way = any(owner != _SETTLED and now - when < LONGEST_CHECK for when, owner in counted)
    free = counted[-rate.count][0] + rate.seconds
    if rate.slows_to:
        free = counted[-1][0] + min(rate.slows_to, 2 ** (len(counted) - rate.count))
    if free <= now:
        return [*counted, (now, ticket)], None
    return counted, Full(free - now, under_way)


def _settled(spent: Sequence[Spent], ticket: int) -> list[Spent]:
    return [(when, _SETTLED if owner == ticket else owner) for when, owner in spent]


def _without(spent: Sequence[Spent], ticket: int) -> list[Spent]:
    return [(when, owner) for when, owner in spent if owner != ticket]


class FileCounters:
    """Counters as one small, locked file of times per key; for many processes on one machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def spend(self, key: str, rate: Rate, ticket: int) -> Full | None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._path(key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            spent, full = spend_one(self._read(file), rate, ticket, time.time())
            if full is None:
                self._write(file, spent)
            return full

    def settle(self, key: str, ticket: int) -> None:
        with self._path(key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._write(file, _settled(self._read(file), ticket))

    def give_back(self, key: str, ticket: int) -> None:
        with self._path(key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._write(file, _without(self._read(file), ticket))

    def forget(self, older_than: float) -> int:
        """Remove the files that have not changed for that many seconds. Return their number."""
        removed = 0
        for path in self._folder.glob("*"):
            if path.stat().st_mtime < time.time() - older_than:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()[:32]

    @staticmethod
    def _read(file: "BinaryFile") -> list[Spent]:
        file.seek(0)
        content = file.read()
        return list(struct.iter_unpack("<dQ", content[: len(content) // 16 * 16]))

    @staticmethod
    def _write(file: "BinaryFile", spent: Sequence[Spent]) -> None:
        file.truncate(0)
        file.write(b"".join(struct.pack("<dQ", when, ticket) for when, ticket in spent))
        file.flush()


class BinaryFile(Protocol):
    """The methods of a file that `FileCounters` uses."""

    def seek(self, offset: int) -> int: ...
    def read(self) -> bytes: ...
    def write(self, content: bytes) -> int: ...
    def truncate(self, size: int) -> int: ...
    def flush(self) -> None: ...


_SPEND = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
local more = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[1])
if more >= 0 then
  local free
  if tonumber(ARGV[5]) > 0 then
    free = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2] + math.min(tonumber(ARGV[5]), 2 ^ more)
  else
    free = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] + ARGV[2]
  end
  if free > now then
    local under_way = '0'
    for _, owner in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[4], '+inf')) do
      if string.sub(owner, 1, 8) ~= 'settled:' then under_way = '1' end
    end
    return {tostring(free - now), under_way}
  end
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return false
"""
_SETTLE = """
local when = redis.call('ZSCORE', KEYS[1], ARGV[1])
if when then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[1], when, 'settled:' .. ARGV[1])
end
"""


class RedisCounters:
    """Counters as a sorted set of tickets per key in Redis; for several machines."""

    def __init__(self, url: str) -> None:
        self._server = redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3)
        self._spend = self._server.register_script(_SPEND)
        self._settle = self._server.register_script(_SETTLE)

    def spend(self, key: str, rate: Rate, ticket: int) -> Full | None:
        rules = [rate.count, rate.seconds, ticket, LONGEST_CHECK, rate.slows_to]
        full = self._spend(keys=[_name(key)], args=rules)
        if full is None:
            return None
        wait, under_way = cast(list[bytes], full)
        return Full(max(0.0, float(wait)), under_way == b"1")

    def settle(self, key: str, ticket: int) -> None:
        self._settle(keys=[_name(key)], args=[ticket])

    def give_back(self, key: str, ticket: int) -> None:
        self._server.zrem(_name(key), ticket)


def _name(key: str) -> str:
    return f"interplay:rate:{key}"


class MemoryCounters:
    """Times in this process's memory, for as long as nothing else can be written."""

    MOST_KEYS = 10_000

    def __init__(self) -> None:
        self._spent: dict[str, list[Spent]] = {}
        self._lock = threading.Lock()

    def spend(self, key: str, rate: Rate, ticket: int) -> Full | None:
        with self._lock:
            self._spent[key], full = spend_one(self._spent.pop(key, []), rate, ticket, time.monotonic())
            if len(self._spent) > self.MOST_KEYS:
                del self._spent[next(iter(self._spent))]  # the key that was used least lately
            return full

    def settle(self, key: str, ticket: int) -> None:
        with self._lock:
            self._spent[key] = _settled(self._spent.get(key, []), ticket)

    def give_back(self, key: str, ticket: int) -> None:
        with self._lock:
            self._spent[key] = _without(self._spent.get(key, []), ticket)
