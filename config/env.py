"""Typed readers of the environment: every setting is read once, and a bad value stops the start with one sentence.

Ours and not environs or pydantic-settings: their messages are lists of errors without the bounds or with the value,
which may hold a password, and `NAME_FILE`, prices, site address and database with its pool would stay ours in any case.
"""

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured

from providers.http.denied import Denied, read_denied, read_nat64
from providers.profiles import Amendments, read_amendments
from providers.servers import BUILT_IN, ModelServer, api_address_problem, is_web_address, server_problem

_PUBLIC_PASSWORDS = {"interplay", "postgres", "password", "secret", "changeme", "change-me", "admin", "guest", "redis"}
_YES = {"1", "true", "on"}
_NO = {"0", "false", "off"}
MOST_WEB_WORKERS = 1000
_SAMPLERS = ("always_on", "always_off", "traceidratio")


def flag(name: str, *, default: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Read 1/true/on or 0/false/off; an empty or missing variable is the default."""
    raw = environ.get(name, "").strip().lower()
    if not raw:
        return default
    if raw in _YES:
        return True
    if raw in _NO:
        return False
    raise ImproperlyConfigured(f"{name} must be on or off (or 1, 0, true, false), not {raw!r}.")


def whole(
    name: str, *, default: int, least: int = 0, most: int = 2**31, environ: Mapping[str, str] = os.environ
) -> int:
    """Read a whole number between `least` and `most`, both included."""
    raw = environ.get(name, "").strip()
    if not raw:
        return default
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 12 and least <= int(raw) <= most):
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {raw!r}.")
    return int(raw)


def web_concurrency(*, environ: Mapping[str, str] = os.environ) -> int:
    """Read how many processes the web server has."""
    return whole("WEB_CONCURRENCY", default=2, least=1, most=MOST_WEB_WORKERS, environ=environ)


def connections_per_address(*, environ: Mapping[str, str] = os.environ) -> int:
    """Read how many connections one address may have with this machine's web server.

    Returns 0, which is no limit, behind a proxy: all connections come from its address.
    """
    most = whole("CONNECTIONS_PER_ADDRESS", default=1000, most=10**6, environ=environ)
    return 0 if whole("TRUSTED_PROXIES", default=0, most=5, environ=environ) else most


def text(name: str, *, default: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """Read a text without the white space around it."""
    return environ.get(name, "").strip() or default


def words(name: str, *, default: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read a comma-separated list; empty entries are ignored."""
    listed = [word.strip() for word in environ.get(name, "").split(",") if word.strip()]
    return listed or list(default)


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
        key = _header_key(of_key, _key_in(f"{name} of {server}", rest[2])) if of_key else ""
        servers[server] = ModelServer(server, rest[0], rest[1], key)
    return servers


def model_profiles(name: str, *, environ: Mapping[str, str] = os.environ) -> Amendments:
    """Read the TOML file that says what models take; an empty or missing variable is no file."""
    path = environ.get(name, "").strip()
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


def denied(name: str, nat64: str, *, environ: Mapping[str, str] = os.environ) -> Denied:
    """Read what must not be fetched: networks, addresses and host names, separated by commas; and NAT64 prefixes."""
    try:
        networks, hosts = read_denied(words(name, environ=environ))
    except ValueError as bad:
        raise ImproperlyConfigured(
            f"{name} must list networks and host names, such as 192.0.2.0/24,intranet.example.org, not {str(bad)!r}."
        ) from None
    try:
        prefixes = read_nat64(words(nat64, environ=environ))
    except ValueError as bad:
        raise ImproperlyConfigured(
            f"{nat64} must list IPv6 prefixes of 32, 40, 48, 56, 64 or 96 bits, such as 64:ff9b::/96, not {str(bad)!r}."
        ) from None
    return Denied(networks, hosts, prefixes)


def networks(name: str, *, environ: Mapping[str, str] = os.environ) -> list[IPv4Network | IPv6Network]:
    """Read networks and single addresses, separated by commas: 10.0.0.0/8, 192.0.2.7."""
    listed = []
    for word in words(name, environ=environ):
        try:
            listed.append(ip_network(word))
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must list networks, such as 10.0.0.0/8,192.0.2.7, not {word!r}."
            ) from None
    return listed


def traces(*, environ: Mapping[str, str] = os.environ) -> str:
    """Read from OpenTelemetry's own variables whether traces are wanted: "otlp", "console", or "" for none."""
    samplers = {f"{parent}{sampler}" for parent in ("", "parentbased_") for sampler in _SAMPLERS}
    choice("OTEL_TRACES_SAMPLER", among=samplers, default="parentbased_always_on", environ=environ)
    off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    named = [url(name, environ=environ) for name in endpoints]
    by_default = "otlp" if any(named) else "none"
    exporter = choice("OTEL_TRACES_EXPORTER", among={"otlp", "console", "none"}, default=by_default, environ=environ)
    return "" if off or exporter == "none" else exporter


def origins(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read origins: scheme://host, or scheme://host:port, separated by commas."""
    listed = [word.lower().rstrip("/") for word in words(name, environ=environ)]
    for word in listed:
        if not is_web_address(word) or urlsplit(word).path or "?" in word:
            raise ImproperlyConfigured(
                f"{name} must list origins, such as http://receiver.lab:8080, without a password or path."
            )
    return listed


def choice(name: str, *, among: Collection[str], default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read one of a closed set of words."""
    raw = environ.get(name, "").strip() or default
    if raw not in among:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(sorted(among))}, not {raw!r}.")
    return raw


def several(name: str, *, among: Collection[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read some of a closed set of words, separated by commas; an empty or missing variable is all of them."""
    named = words(name, environ=environ)
    if unknown := sorted(set(named) - set(among)):
        raise ImproperlyConfigured(f"{name} may list {', '.join(sorted(among))}, not {unknown[0]!r}.")
    return named or sorted(among)


def matching(name: str, pattern: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read a word of a certain form, which is a regular expression."""
    raw = environ.get(name, "").strip() or default
    if not re.fullmatch(pattern, raw):
        raise ImproperlyConfigured(f"{name} must match {pattern}, which {raw!r} does not.")
    return raw


def folder(name: str, *, default: Path, make: bool = False, environ: Mapping[str, str] = os.environ) -> Path:
    """Read a folder as an absolute path; a relative one starts at the working directory. It need not exist yet."""
    raw = environ.get(name, "").strip()
    path = Path(raw).expanduser().absolute() if raw else default
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name} must name a folder; {path} is a file.")
    if make:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ImproperlyConfigured(f"{name} is {path}, which cannot be made: {fault.strerror}.") from None
    return path


def secret(name: str, *, default: str = "", key: bool = False, environ: Mapping[str, str] = os.environ) -> str:
    """Read a secret from NAME, or from the file named by NAME_FILE (as container platforms provide secrets).

    A `key` is one that a service gave: a byte-order mark and white space around it are left out.

    Raises ImproperlyConfigured, with a sentence that does not repeat it, for a key that a header cannot carry.
    """
    path = environ.get(f"{name}_FILE", "").strip()
    if environ.get(name, "").strip() and path:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    given = _key_in(f"{name}_FILE", path) if path else environ.get(name, "").strip() or default
    return _header_key(f"{name}_FILE" if path else name, given) if key else given


def _header_key(setting: str, key: str) -> str:
    """Return the key without a byte-order mark and white space around it.

    Raises ImproperlyConfigured if it cannot be what a service gave.
    """
    if problem := key_problem(key := key.strip(_AROUND_A_KEY)):
        raise ImproperlyConfigured(f"{setting} holds a key {problem} Copy it again from the service that gave it.")
    return key


def key_problem(key: str) -> str:
    """Return what is wrong with a key, as the end of a sentence; empty if a header can carry it."""
    if "…" in key or "..." in key or "***" in key:
        return "that was shortened: it has … or *** where letters were left out."
    if key[:1] in _QUOTES or key[-1:] in _QUOTES:
        return "in quotation marks: leave them out."
    if key.lower().startswith("bearer "):
        return "that begins with Bearer: leave that word out."
    if any(letter.isspace() for letter in key):
        return "with a space or a line break in it."
    if odd := next((letter for letter in key if not "!" <= letter <= "~"), ""):
        return f"with the letter U+{ord(odd):04X} in it, which no header of HTTP can carry."
    return ""


_AROUND_A_KEY = "\ufeff\u200b\u2060\u00a0 \t\r\n\v\f"
_QUOTES = tuple("\"'`“”‘’«»„")


def _key_in(setting: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{setting} names {path}, which cannot be read: {type(error).__name__}.") from None


def with_password(address: str, password: str) -> str:
    """Return a server's address with the password in it, escaped; an address that has one keeps it."""
    parts = urlsplit(address)
    if not password or not parts.netloc or parts.password is not None:
        return address
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()


def refuse_public_password(name: str, address: str, *, deployed: bool) -> None:
    """Stop a site that others can reach from running on a password that everybody knows.

    Raises ImproperlyConfigured if the address has such a password. The sentence does not repeat it.
    """
    password = unquote(urlsplit(address).password or "").lower()
    if deployed and password in _PUBLIC_PASSWORDS:
        raise ImproperlyConfigured(f"The password in {name} is one that everybody knows. Set one of your own.")


def url(name: str, *, default: str = "", models: bool = False, environ: Mapping[str, str] = os.environ) -> str:
    """Read the address of a web server, with a path or without. Errors do not repeat it: it may hold a password.

    That of `models` is what all calls of a model server share: it has no query and not the path of one call.
    """
    raw = environ.get(name, "").strip() or default
    if raw and not is_web_address(raw):
        raise ImproperlyConfigured(
            f"{name} must look like https://service.example.org/path, without a password and without a #."
        )
    if models and (problem := api_address_problem(raw)):
        raise ImproperlyConfigured(f"{name} {problem}.")
    return raw


def site_url(name: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read the address people open: scheme http or https and a host, without a path."""
    raw = environ.get(name, "").strip() or default
    if not is_web_address(raw) or urlsplit(raw).path.strip("/") or "?" in raw:
        raise ImproperlyConfigured(f"{name} must look like https://labels.example.org, without a path or password.")
    return raw.rstrip("/")


def server_url(name: str, *, schemes: str, default: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """Read the address of a broker or a store by its scheme; several may be separated by semicolons.

    It is a secret, and may hold a password.
    """
    raw = secret(name, default=default, environ=environ)
    for address in raw.split(";") if raw else []:
        try:
            parts = urlsplit(address)
            right = parts.scheme in schemes.split() and address.startswith(f"{parts.scheme}://") and parts.port != 0
        except ValueError:  # of the host or the port
            right = False
        if right and parts.scheme in {"redis", "rediss"}:  # the path is the number of a database
            right = bool(re.fullmatch(r"/?[0-9]{0,5}", parts.path))
        if not right:
            forms = " or ".join(f"{scheme}://…" for scheme in schemes.split())
            raise ImproperlyConfigured(
                f"{name} must look like redis://queue.example.org:6379/0; it begins with {forms}."
            )
    return raw


def hosts(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read host names, separated by commas; .example.org is all below it, * is all."""
    listed = words(name, environ=environ)
    for word in listed:
        if not re.fullmatch(r"\*|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\]", word):
            raise ImproperlyConfigured(f"{name} must list host names, such as labels.example.org, not {word!r}.")
    return listed


def mailbox(name: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read an e-mail address, with a name before it or without."""
    raw = environ.get(name, "").strip() or default
    address = r"[^\s@<>,]+@[A-Za-z0-9.-]+"
    if raw != default and not re.fullmatch(rf"{address}|[^<>\r\n]*<{address}>", raw):
        raise ImproperlyConfigured(
            f"{name} must look like labels@example.org or Labels <labels@example.org>, not {raw!r}."
        )
    return raw


def model(
    name: str, *, servers: Collection[str], words: Collection[str] = (), environ: Mapping[str, str] = os.environ
) -> str:
    """Read a model as provider:model, of a vendor, of one of the servers or built in; or one of the words."""
    raw = environ.get(name, "").strip()
    provider, _colon, rest = raw.partition(":")
    if raw and raw not in words and not (rest and provider in {*BUILT_IN, *servers}):
        known = ", ".join(sorted({*BUILT_IN, *servers} - {"scripted"}))
        raise ImproperlyConfigured(f"{name} must look like provider:model, with one of {known}, not {raw!r}.")
    return raw


def model_patterns(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read models as provider:model, separated by commas; * is a wildcard."""
    listed = words(name, environ=environ)
    for word in listed:
        if not re.fullmatch(r"[^:\s]+:\S.*|\*", word):
            raise ImproperlyConfigured(f"{name} must list models such as openai:some-model or openai:*, not {word!r}.")
    return listed


def time_zone(name: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read the name of a time zone."""
    raw = environ.get(name, "").strip() or default
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ImproperlyConfigured(f"{name} must be a time zone such as Europe/Zurich, not {raw!r}.") from None
    return raw


def bucket(
    name: str, *, endpoint: str, region: str, access_key: str, secret_key: str, prefix: str = ""
) -> dict[str, object]:
    """Return the bucket of the site's files as an entry of Django's STORAGES.

    Without keys boto3 finds those of the machine it runs on. Nothing in the bucket is public, and no address of it is
    given to anybody: the site sends every file itself, after it has asked whether this person may have it.
    """
    if endpoint and (not is_web_address(endpoint) or urlsplit(endpoint).path.strip("/") or "?" in endpoint):
        raise ImproperlyConfigured(
            "MEDIA_ENDPOINT must look like https://minio.example.org, without a path or password."
        )
    return {
        "BACKEND": "config.media_bucket.MediaBucket",
        "OPTIONS": {
            "bucket_name": name,
            "endpoint_url": endpoint or None,
            "region_name": region,
            "access_key": access_key or None,
            "secret_key": secret_key or None,
            "location": prefix.strip("/"),
            "default_acl": None,
            "file_overwrite": True,  # names are random: asking first whether one is free would double the requests
            "max_memory_size": 4 * 2**20,  # larger files are read by way of the disk
        },
    }
