import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.accounts.sign_ins import browser_of, place_of

_MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
_PHONE = "Mozilla/5.0 (Linux; Android 14; SM-S918N) AppleWebKit/537.36 (KHTML, like Gecko)"
_IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
BROWSERS = {
    f"{_WINDOWS} Chrome/126.0.0.0 Safari/537.36": "Chrome · Windows",
    f"{_WINDOWS} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68": "Edge · Windows",
    f"{_WINDOWS} Chrome/126.0.0.0 Whale/3.26 Safari/537.36": "Whale · Windows",
    f"{_WINDOWS} Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0": "Opera · Windows",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0": "Firefox · Linux",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36": "Chrome · ChromeOS",
    f"{_MAC} Version/17.5 Safari/605.1.15": "Safari · macOS",
    f"{_IPHONE} Version/17.5 Mobile/15E148 Safari/604.1": "Safari · iPhone",
    f"{_IPHONE} CriOS/126.0 Mobile/15E148 Safari/604.1": "Chrome · iPhone",
    f"{_PHONE} Chrome/126.0.0.0 Mobile Safari/537.36": "Chrome · Android",
    f"{_PHONE} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36": "Samsung Internet · Android",
    f"{_PHONE} Version/4.0 Chrome/126.0 Mobile Safari/537.36;KAKAOTALK 2410720": "KakaoTalk · Android",
    f"{_PHONE} Version/4.0 Chrome/116.0 Mobile Safari/537.36 MicroMessenger/8.0.49": "WeChat · Android",
    "curl/8.5.0": "",
    "": "",
}
PLACES = {
    "203.0.113.77": "203.0.113.x",
    "::ffff:203.0.113.77": "203.0.113.x",
    "2001:db8:1:2:3:4:5:6": "2001:db8:1::/48",
    "fe80::1%eth0": "fe80::/48",
    "unix:": "",
    "": "",
}


@pytest.mark.parametrize(("user_agent", "name"), BROWSERS.items(), ids=BROWSERS.values())
def test_a_browser_has_its_own_name_and_its_system(user_agent, name):
    assert browser_of(user_agent) == name


@pytest.mark.parametrize(("address", "place"), PLACES.items())
def test_of_an_address_its_range_is_left(address, place):
    assert place_of(address) == place


@given(st.ip_addresses())
def test_two_addresses_of_a_range_are_the_same_place_which_fits_its_column(address):
    place = place_of(str(address))
    assert 0 < len(place) <= 45 and str(address) not in (place, place.partition("/")[0] if int(address) & 0xFF else "")


@given(st.text())
def test_whatever_a_browser_calls_itself_fits_its_column(text):
    assert len(browser_of(text)) <= 60
