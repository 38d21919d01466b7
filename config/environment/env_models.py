"""Readers of what the environment says of models: servers, prices, profiles, roles. The others: `env`."""

import fnmatch
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.environment.env import as_given, header_key, key_in, words
from providers.profiles import Amendments, read_amendments
from providers.servers import BUILT_IN, ModelServer, server_problem


def prices(name: str, *, environ: Mapping[str, str] = os.environ) -> dict[str, tuple[float, ...]]:
    """Read prices per million tokens: provider:model=INPUT/OUTPUT or INPUT/OUTPUT/CACHED, separated by commas."""
    by_model = {}
    for word in words(name, environ=environ):
        model, sign, rest = word.rpartition("=")
        try:
            price = tuple(float(number) for number in rest.split("/"))
        except ValueError:
            price = ()
        if not (sign and ":" in model and len(price) in (2, 3) and all(0 <= number < 1e9 for number in price)):
            raise ImproperlyConfigured(
                f"{name} must look like openai:some-model=2.5/10 or openai:some-model=2.5/10/0.25, not {word!r}."
            )
        by_model[model.strip()] = price
    return by_model


def model_servers(name: str, *, environ: Mapping[str, str] = os.environ) -> dict[str, ModelServer]:
    """Read model servers, separated by commas: NAME PROTOCOL ADDRESS, and the file of the key if it has one."""
    servers: dict[str, ModelServer] = {}
    for entry in words(name, environ=environ):
        server, *rest = entry.split()
        if len(rest) not in (2, 3):
            raise ImproperlyConfigured(f"{name} must look like: lab openai https://models.example.org/v1 /path/to/key.")
        if problem := server_problem(server, rest[0], rest[1]):
            raise ImproperlyConfigured(f"{name} {problem}.")
        if server in servers:
            raise ImproperlyConfigured(f"{name} names the server {server} twice.")
        of_key = f"{name}, whose key of {server} stands in {rest[2]}," if len(rest) == 3 else ""
        key = header_key(of_key, key_in(f"{name} of {server}", rest[2])) if of_key else ""
        servers[server] = ModelServer(server, rest[0], rest[1], key)
    return servers


def model_profiles(name: str, *, environ: Mapping[str, str] = os.environ) -> Amendments:
    """Read the TOML file that says what models take; an empty or missing variable is no file."""
    path = as_given(name, environ)
    if not path:
        return ()
    try:
        return read_amendments(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name} is {path}, which cannot be read: {type(error).__name__}.") from None
    except ValueError as error:  # of TOML, or of what it says
        raise ImproperlyConfigured(f"{name}: {error}") from None


def answer_tokens(
    name: str, *, roles: Collection[str], default: int, environ: Mapping[str, str] = os.environ
) -> dict[str, int]:
    """Read the most tokens of one answer: a number for all roles (under ""), and role=NUMBER, separated by commas."""
    most = {"": default}
    for word in words(name, environ=environ):
        role, _sign, number = (part.strip().lower() for part in word.rpartition("="))
        is_number = number.isascii() and number.isdigit() and len(number) <= 7
        if not is_number or not 1 <= int(number) <= 1_000_000 or (role and role not in roles):
            raise ImproperlyConfigured(f"{name} must look like 16000 or 16000,judge=32000, not {word!r}.")
        most[role] = int(number)
    return most


def model(
    name: str, *, servers: Collection[str], words: Collection[str] = (), environ: Mapping[str, str] = os.environ
) -> str:
    """Read a model as provider:model, of a vendor, of one of the servers or built in; or one of the words."""
    raw = as_given(name, environ)
    provider, _colon, rest = raw.partition(":")
    if raw and raw not in words and not (rest and provider in {*BUILT_IN, *servers}):
        known = ", ".join(sorted({*BUILT_IN, *servers} - {"scripted"}))
        raise ImproperlyConfigured(f"{name} must look like provider:model, with one of {known}, not {raw!r}.")
    return raw


def model_patterns(
    name: str, *, servers: Collection[str] | None = None, environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Read models as provider:model, separated by commas; * is a wildcard. Each is built in or of `servers`."""
    listed = words(name, environ=environ)
    for word in listed:
        if not re.fullmatch(r"[^:\s]+:\S.*|\*", word):
            raise ImproperlyConfigured(f"{name} must list models such as openai:some-model or openai:*, not {word!r}.")
        known = None if servers is None else {*BUILT_IN, *servers}
        if known and not fnmatch.filter(known, word.partition(":")[0]):
            raise ImproperlyConfigured(f"{name} names a server that is not in MODEL_SERVERS: {word!r}.")
    return listed
