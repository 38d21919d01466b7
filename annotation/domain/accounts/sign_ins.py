"""Where somebody is signed in, in plain words: the browser by its own name, the place as a range of addresses."""

import re
from ipaddress import IPv6Address, ip_address, ip_network

# The first that is named counts: nearly all call themselves Mozilla, Chrome and Safari too.
_BROWSERS = (
    ("Edge", r"\bEdg(e|A|iOS)?/"),
    ("Opera", r"\bOPR/|\bOpera"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Vivaldi", r"\bVivaldi/"),
    ("Yandex", r"\bYaBrowser/"),
    ("Whale", r"\bWhale/"),
    ("KakaoTalk", r"\bKAKAOTALK"),
    ("WeChat", r"\bMicroMessenger/"),
    ("Firefox", r"\bFirefox/|\bFxiOS/"),
    ("Chrome", r"\bChrome/|\bCriOS/|\bHeadlessChrome/"),
    ("Safari", r"\bVersion/[\d.]+ .*\bSafari/"),
)
_SYSTEMS = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("HarmonyOS", r"\bHarmonyOS\b|\bOpenHarmony\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Windows", r"\bWindows\b"),
    ("macOS", r"\bMacintosh\b|\bMac OS X\b"),
    ("Linux", r"\bLinux\b|\bX11\b"),
)


def browser_of(user_agent: str) -> str:
    """Return the names of the browser and the system, such as `Firefox · Windows`, without versions.

    Returns "" if neither is known.
    """
    names = (next((name for name, sign in kind if re.search(sign, user_agent)), "") for kind in (_BROWSERS, _SYSTEMS))
    return " · ".join(filter(None, names))


def place_of(address: str) -> str:
    """Return the range of an address: `203.0.113.x`, or the first 48 bits of IPv6, which one customer has.

    Returns "" for what is no address.
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped is None:
            return str(ip_network((known, 48), strict=False))
        known = known.ipv4_mapped
    return str(known).rpartition(".")[0] + ".x"
