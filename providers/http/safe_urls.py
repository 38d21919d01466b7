"""Which URLs may be opened at all, and which addresses may be connected to (threats T7, B82-B96).

Everything here works on text and numbers; nothing is looked up. A URL that `check_url` accepts must still resolve to
public addresses only: see `is_public`.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote

import idna

LONGEST = 2000
PORTS = (80, 443)


class FetchFault(Exception):
    """A page that was not fetched: a stable code, and one sentence for people.

    Codes: bad_url, bad_scheme, blocked_port, blocked_address, too_many_redirects, unreachable, timeout, too_large,
    bad_type, robots, status (then `status` is the server's).
    """

    def __init__(self, code: str, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.status = code, sentence, status


@dataclass(frozen=True)
class CheckedUrl:
    """The parts of a URL that passed every check without a lookup. `host` is ASCII, without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address itself."""
        return ":" in self.host or self.host.replace(".", "").isdigit()

    @property
    def origin(self) -> str:
        """Scheme, host, and the port if it is not the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        own = self.port == (443 if self.scheme == "https" else 80)
        return f"{self.scheme}://{host}" + ("" if own else f":{self.port}")

    @property
    def url(self) -> str:
        """The URL in its normal form, without a fragment."""
        return self.origin + self.path


# Controls, spaces of every kind, invisible and reordering characters, and the backslash that parsers disagree about.
_FORBIDDEN = re.compile(
    r"[\x00-\x20\x7f-\xa0\u00ad\u034f\u061c\u1680\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
    r"\ufff0-\uffff\ud800-\udfff\\]"
)
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_SHAPE = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>[^#]*)(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_SAFE = "/?:@!$&'()*+,;=~-._%[]"
_LOCAL = ("localhost", "local", "internal", "lan", "home.arpa", "test", "invalid")
"""Ends of names that the public Internet never gives out (RFC 2606, 6761, 6762, 8375; ICANN's `internal`)."""


def check_url(url: str) -> CheckedUrl:
    """Return the parts of the URL.

    Hosts written as numbers are read as browsers read them, so that `0x7f000001`, `127.1` or circled digits are refused
    as the address they mean.

    Raises FetchFault for whatever no honest page needs.
    """
    if not 0 < len(url) <= LONGEST:
        raise FetchFault("bad_url", f"A URL has from 1 to {LONGEST:,} characters.")
    if _FORBIDDEN.search(url):
        raise FetchFault("bad_url", "The URL holds a space, a control character or a backslash.")
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise FetchFault("bad_url", "The URL does not begin with http:// or https://.")
    if scheme.group(1).lower() not in ("http", "https"):
        raise FetchFault("bad_scheme", f"Only http and https are fetched, not {scheme.group(1)[:20]}.")
    shape = _SHAPE.fullmatch(url)
    if shape is None:
        raise FetchFault("bad_url", "The URL does not begin with http:// or https://.")
    return _taken_apart(shape["scheme"].lower(), shape["authority"], shape["path"])


def _taken_apart(scheme: str, authority: str, path: str) -> CheckedUrl:
    if "@" in authority:
        raise FetchFault("bad_url", "The URL holds a user name or password.")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or not parts["host"]:
        raise FetchFault("bad_url", "The URL names no host that can be read.")
    host = _host(parts["host"])
    port = int(parts["port"]) if parts["port"] else (443 if scheme == "https" else 80)
    if port not in PORTS:
        raise FetchFault("blocked_port", f"Only the ports 80 and 443 are fetched from, not {port}.")
    quoted_path = quote(path, safe=_SAFE) or "/"
    return CheckedUrl(scheme, host, port, quoted_path if quoted_path.startswith("/") else f"/{quoted_path}")


def _host(written: str) -> str:
    if written.startswith("["):
        return _ipv6(written[1:-1])
    host = _ascii(written)
    last = host.rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        return _ipv4(host)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise FetchFault("bad_url", "The host's name is not one that can be looked up.")
    if "." not in host or any(f".{host}".endswith(f".{end}") for end in _LOCAL):
        raise FetchFault("blocked_address", "The host's name is not one of the public Internet.")
    return host


def _ascii(written: str) -> str:
    """Return the host in ASCII: other scripts by IDNA, after full-width letters, digits and dots are made plain."""
    if "%" in written or len(written) > LONGEST:
        raise FetchFault("bad_url", "The host's name holds a per cent sign.")
    try:
        plain = idna.uts46_remap(written, std3_rules=False, transitional=False).removesuffix(".")
        return plain if plain.isascii() else idna.encode(plain, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise FetchFault("bad_url", "The host's name is not one that can be looked up.") from None


def _ipv6(written: str) -> str:
    try:
        if "%" in written:
            raise ValueError
        address = ipaddress.IPv6Address(written)
    except ValueError:
        raise FetchFault("bad_url", "The host in brackets is no IPv6 address.") from None
    require_public(str(address))
    return str(address)


def _ipv4(host: str) -> str:
    """Return an IPv4 address, read in any form that resolvers accept; refuse every form but the plain one."""
    parts = host.split(".")
    try:
        numbers = [_number(part) for part in parts]
        if not 1 <= len(numbers) <= 4 or any(number > 255 for number in numbers[:-1]):
            raise ValueError
        value = sum(number << 8 * (3 - place) for place, number in enumerate(numbers[:-1])) + numbers[-1]
        if numbers[-1] >= 256 ** (5 - len(numbers)):
            raise ValueError
        address = str(ipaddress.IPv4Address(value))
    except ValueError:
        raise FetchFault("bad_url", "The host is a number, but no address.") from None
    require_public(address)
    if address != host:
        raise FetchFault("blocked_address", "Write the address as four plain numbers.")
    return address


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part):
        raise ValueError(part)
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)


# What ipaddress takes for global, and what leads to addresses that it would not.
_REFUSED = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",
        "168.63.129.16/32",  # the wire server of a large cloud, reached by all of its machines
        "192.88.99.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",  # Teredo, ORCHID and other protocols
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address inside
        "3fff::/20",
    )
]
_UNICAST = ipaddress.IPv6Network("2000::/3")  # the only part given out; NAT64, mapped and site-local lie outside


def _holds_ipv4(number: ipaddress.IPv6Address) -> bool:
    """Whether it leads to an IPv4 address inside a private network (ISATAP, RFC 5214)."""
    return number.packed[8:12] in (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


def is_public(address: str) -> bool:
    """Return whether the address belongs to the public Internet, as far as its number shows."""
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(number, ipaddress.IPv6Address) and (number not in _UNICAST or _holds_ipv4(number)):
        return False
    refused = any(number.version == net.version and number in net for net in _REFUSED)
    return number.is_global and not number.is_multicast and not refused


def require_public(address: str) -> None:
    """Refuse an address that is not public. The message does not repeat it.

    Raises FetchFault `blocked_address` if it is not public.
    """
    if not is_public(address):
        raise FetchFault("blocked_address", "The address is not on the public Internet.")
