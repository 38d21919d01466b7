"""What an operator forbids the fetcher, and the prefixes by which a network writes IPv4 addresses as IPv6 ones."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from providers.http.safe_urls import FetchFault, check_url, is_public

_NAT64_LENGTHS = (32, 40, 48, 56, 64, 96)  # RFC 6052, section 2.2
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Denied:
    """Networks and hosts that are not fetched from; a host stands for all names below it too.

    An address under a prefix of `nat64` is judged by the IPv4 address inside (RFC 6052).
    """

    networks: tuple[Network, ...] = ()
    hosts: tuple[str, ...] = ()
    nat64: tuple[ipaddress.IPv6Network, ...] = ()
    permitted: frozenset[str] = frozenset()
    """Addresses of a receiver that the operator names: no other rule holds for them."""

    def require_allowed_host(self, host: str) -> None:
        """Raise FetchFault `blocked_address` if the operator denies the host."""
        name = host.removesuffix(".")
        if any(name == denied or name.endswith(f".{denied}") for denied in self.hosts):
            raise FetchFault("blocked_address", "The operator of this site denies this host.")

    def require_allowed(self, address: str) -> None:
        """Raise FetchFault `blocked_address`, without the address in it, if that is not public or is denied."""
        if not self.allows(address):
            raise FetchFault("blocked_address", "The address is not on the public Internet, or denied on this site.")

    def allows(self, address: str) -> bool:
        """Return whether the address is public and not denied."""
        if address in self.permitted:
            return True
        try:
            number = ipaddress.ip_address(address)
        except ValueError:
            return False
        inner = self._inside(number)
        if any(seen.version == net.version and seen in net for seen in (number, inner) for net in self.networks):
            return False
        return is_public(str(inner))

    def _inside(
        self, number: ipaddress.IPv4Address | ipaddress.IPv6Address
    ) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """Return the IPv4 address that a translator reads in the number; the number itself if it reads none."""
        if isinstance(number, ipaddress.IPv6Address):
            for prefix in self.nat64:
                if number in prefix:
                    packed = number.packed if prefix.prefixlen == 96 else number.packed[:8] + number.packed[9:]
                    start = prefix.prefixlen // 8
                    return ipaddress.IPv4Address(packed[start : start + 4])
        return number


def read_denied(words: Iterable[str]) -> tuple[tuple[Network, ...], tuple[str, ...]]:
    """Return the networks and the hosts of an operator's list.

    Raises ValueError with the word that is neither.
    """
    networks: list[Network] = []
    hosts: list[str] = []
    for word in words:
        try:
            networks.append(ipaddress.ip_network(word, strict=False))
        except ValueError:
            hosts.append(_host(word))
    return tuple(networks), tuple(hosts)


def read_nat64(words: Iterable[str]) -> tuple[ipaddress.IPv6Network, ...]:
    """Return the prefixes of translators.

    Raises ValueError with the word that is none.
    """
    prefixes = []
    for word in words:
        try:
            prefix = ipaddress.IPv6Network(word)
        except ValueError:
            raise ValueError(word) from None
        if prefix.prefixlen not in _NAT64_LENGTHS:
            raise ValueError(word)
        prefixes.append(prefix)
    return tuple(prefixes)


def _host(word: str) -> str:
    name = word.removeprefix("*").removeprefix(".")
    try:
        checked = check_url(f"http://{name}/")
    except FetchFault:
        raise ValueError(word) from None
    if checked.path != "/" or checked.port != 80 or checked.is_address:
        raise ValueError(word)
    return checked.host
