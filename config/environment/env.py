"""Typed readers of the environment: every setting is read once, and a bad value stops the start with one sentence.

Ours and not environs or pydantic-settings: their messages are lists of errors without the bounds or with the value,
which may hold a password, and `NAME_FILE`, prices, site address and database with its pool would stay ours in any case.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured

from providers.http.denied import Denied, read_denied, read_nat64
from providers.servers import api_address_problem, is_web_address

_PUBLIC_PASSWORDS = {"interplay", "postgres", "password", "secret", "changeme", "change-me", "admin", "guest", "redis"}
_YES = {"1", "true", "on"}
_NO = {"0", "false", "off"}
MOST_WEB_WORKERS = 1000
LEAST_KEY = 16
"""Characters of a key that signs and seals; `check --deploy` warns of fewer than 50."""
_SAMPLERS = ("always_on", "always_off", "traceidratio")


NAMES: set[str] = set()
"""The names of all variables that this process has asked for: those that the site knows."""


def as_given(name: str, environ: Mapping[str, str]) -> str:
    """Return a variable without the white space around it; empty if it is not set."""
    NAMES.add(name)
    return environ.get(name, "").strip()


def flag(name: str, *, default: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Read 1/true/on or 0/false/off; an empty or missing variable is the default."""
    raw = as_given(name, environ).lower()
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
    raw = as_given(name, environ)
    if not raw:
        return default
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 12 and least <= int(raw) <= most):
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {raw!r}.")
    return int(raw)


def web_concurrency(*, environ: Mapping[str, str] = os.environ) -> int:
    """Read how many processes the web server has."""
    return whole("WEB_CONCURRENCY", default=2, least=1, most=MOST_WEB_WORKERS, environ=environ)


def web_threads(*, environ: Mapping[str, str] = os.environ) -> int:
    """Read how many threads each process of the web server has."""
    return whole("WEB_THREADS", default=8, least=1, most=1000, environ=environ)


def connections_per_address(*, environ: Mapping[str, str] = os.environ) -> int:
    """Read how many connections one address may have with this machine's web server.

    Returns 0, which is no limit, behind a proxy: all connections come from its address.
    """
    most = whole("CONNECTIONS_PER_ADDRESS", default=1000, most=10**6, environ=environ)
    return 0 if whole("TRUSTED_PROXIES", default=0, most=5, environ=environ) else most


def text(name: str, *, default: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """Read a text without the white space around it."""
    return as_given(name, environ) or default


def words(name: str, *, default: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read a comma-separated list; empty entries are ignored."""
    listed = [word.strip() for word in as_given(name, environ).split(",") if word.strip()]
    return listed or list(default)


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
    raw = as_given(name, environ) or default
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
    raw = as_given(name, environ) or default
    if not re.fullmatch(pattern, raw):
        raise ImproperlyConfigured(f"{name} must match {pattern}, which {raw!r} does not.")
    return raw


def folder(
    name: str,
    *,
    default: Path,
    make: bool = False,
    exists: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """Read a folder as an absolute path; a relative one starts at the working directory.

    It need not exist yet, unless the site only reads what `exists` there.
    """
    raw = as_given(name, environ)
    path = Path(raw).expanduser().absolute() if raw else default
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name} must name a folder; {path} is a file.")
    if raw and exists and not path.exists():
        raise ImproperlyConfigured(f"{name} names {path}, which does not exist.")
    if make:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ImproperlyConfigured(f"{name} is {path}, which cannot be made: {fault.strerror}.") from None
    return path


def secret(name: str, *, default: str = "", key: bool = False, environ: Mapping[str, str] = os.environ) -> str:
    """Read a secret from NAME, or from the file named by NAME_FILE (as container platforms provide secrets).

    A `key` is one that a service gave: a byte-order mark and white space around it are left out, and `mended` says so.

    Raises ImproperlyConfigured, with a sentence that does not repeat it, for a key that a header cannot carry.
    """
    path = as_given(f"{name}_FILE", environ)
    if as_given(name, environ) and path:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    given = key_in(f"{name}_FILE", path) if path else environ.get(name, "")
    return (header_key(f"{name}_FILE" if path else name, given) if key else given.strip()) or ("" if path else default)


def secrets(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Read secrets that commas separate, from NAME or from the file named by NAME_FILE."""
    return [word.strip() for word in secret(name, environ=environ).split(",") if word.strip()]


mended: list[str] = []
"""A sentence for each setting that was read in another way than it was written. `start.read_settings` prints them."""


def header_key(setting: str, written: str) -> str:
    """Return the key without a byte-order mark and white space around it.

    Raises ImproperlyConfigured if it cannot be what a service gave.
    """
    if problem := key_problem(key := written.strip(_AROUND_A_KEY)):
        raise ImproperlyConfigured(f"{setting} holds a key {problem} Copy it again from the service that gave it.")
    if written.removesuffix("\n").removesuffix("\r") != key:  # most files end with a line break
        what = "a byte-order mark" if "\ufeff" in written else "white space"
        mended.append(f"{setting} has {what} around its key: it is used without.")
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


def key_in(setting: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{setting} names {path}, which cannot be read: {type(error).__name__}.") from None


def signing_keys(name: str, keys: Sequence[str]) -> list[str]:
    """Return keys that sign and seal. Raises ImproperlyConfigured for one that can be guessed, without repeating it."""
    if short := next((key for key in keys if len(key) < LEAST_KEY), None):
        raise ImproperlyConfigured(
            f"{name} has a key of {len(short)} characters: take at least {LEAST_KEY}, such as `openssl rand -hex 32`."
        )
    if "" in keys:
        raise ImproperlyConfigured(f"{name} is empty: put a key in, such as `openssl rand -hex 32`, or remove it.")
    return [*keys]


def together(**given: object) -> None:
    """Raise ImproperlyConfigured if some of these settings have a value and others have none."""
    if any(given.values()) and not all(given.values()):
        lacking = ", ".join(name for name, value in given.items() if not value)
        present = ", ".join(name for name, value in given.items() if value)
        raise ImproperlyConfigured(f"{present} needs {lacking} too: set both or neither.")


def needs(condition: object, name: str, what: str) -> None:
    """Raise ImproperlyConfigured, with what the setting needs, if it has a value that cannot have an effect."""
    if not condition:
        raise ImproperlyConfigured(f"{name} needs {what}.")


def host(name: str, *, environ: Mapping[str, str] = os.environ) -> str:
    """Read the name or address of one server, without a port."""
    raw = as_given(name, environ)
    if raw and not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|[0-9A-Fa-f:]*:[0-9A-Fa-f:]+", raw):
        raise ImproperlyConfigured(f"{name} must be the name of one server, such as smtp.example.org, without a port.")
    return raw


def refuse_unsendable(name: str, token: str) -> None:
    """Raise ImproperlyConfigured for a secret that no header can carry."""
    if not all("!" <= letter <= "~" for letter in token):
        raise ImproperlyConfigured(f"{name} must have ASCII letters, digits and signs only, without spaces.")


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
    raw = as_given(name, environ) or default
    if raw and not is_web_address(raw):
        raise ImproperlyConfigured(
            f"{name} must look like https://service.example.org/path, without a password and without a #."
        )
    if models and (problem := api_address_problem(raw)):
        raise ImproperlyConfigured(f"{name} {problem}.")
    return raw


def site_url(name: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read the address people open: scheme http or https and a host, without a path."""
    raw = as_given(name, environ) or default
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
    raw = as_given(name, environ) or default
    address = r"[^\s@<>,]+@[A-Za-z0-9.-]+"
    if raw != default and not re.fullmatch(rf"{address}|[^<>\r\n]*<{address}>", raw):
        raise ImproperlyConfigured(
            f"{name} must look like labels@example.org or Labels <labels@example.org>, not {raw!r}."
        )
    return raw


def time_zone(name: str, *, default: str, environ: Mapping[str, str] = os.environ) -> str:
    """Read the name of a time zone."""
    raw = as_given(name, environ) or default
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ImproperlyConfigured(f"{name} must be a time zone such as Europe/Zurich, not {raw!r}.") from None
    return raw
