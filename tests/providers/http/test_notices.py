"""Which pages show a notice in place of their text, and which are articles all the same."""

import pytest

from providers.http.html_text import SeenText
from providers.http.notices import in_place_of_text

NOTICES = [
    (
        "consent_wall",
        "We value your privacy\nWe and our 1467 partners store and/or access information on a device, such as cookies, "
        "and process personal data, such as unique identifiers, for personalised advertising, ad measurement and "
        "audience research. With your consent we and our partners may use precise location data. You may change your "
        "preferences at any time by returning to this site.\nAGREE\nMORE OPTIONS",
    ),
    ("consent_wall", "Wir verwenden Cookies. Mit Ihrer Einwilligung zeigen wir Werbung, die zu Ihnen "
     "passt.\nAlle akzeptieren"),
    ("consent_wall", "Nous utilisons des cookies avec nos partenaires. Votre consentement est libre.\nTout "
     "accepter\nTout refuser"),
    ("consent_wall", "当サイトではクッキーを使用しています。閲覧を続けるには同意が必要です。\n同意する"),
    ("consent_wall", "본 사이트는 쿠키를 수집합니다. 맞춤 광고에 동의하시면 계속 이용하실 수 있습니다.\n동의\n설정"),
    ("bot_check", "www.boards.example\nVerify you are human by completing the action below.\nRay ID: "
     "8c2f\nPerformance & security by Cloudflare"),
    ("bot_check", "Our systems have detected unusual traffic from your computer network. This page checks "
     "that it is really you and not a robot."),
    ("bot_check", "자동등록방지를 위해 보안문자를 입력해 주세요."),
    ("bot_check", "为了您的账号安全，请完成验证后继续访问。"),
    ("paywall", "How newcomers became weeds\nBy a reporter\nOn the boards it began as a joke among gardeners "
     "in the spring.\n"
     "To continue reading, start your free trial. Cancel anytime. Already a subscriber? Sign in"),
    ("paywall", "이 기사는 유료 회원 전용입니다. 구독 후 전문을 읽을 수 있습니다.\n구독하기"),
    ("paywall", "本文为付费内容，订阅后可阅读全文。\n立即订阅"),
    ("login_wall", "You must be logged in to view this board.\nUsername\nPassword\nForgot your password?\nSign up"),
    ("login_wall", "请先登录后再查看该主题。\n账号\n密码\n注册"),
]  # fmt: skip
TEXTS = [
    "Weed: on boards, a newcomer who is not wanted.",
    "Cookie: a small file that a site stores in a browser, since 1994. The name comes from a term among "
    "programmers for a "
    "packet of data that a program receives and sends back unchanged. Netscape was first to put it into its navigator.",
    "The report\nWe use cookies.\nAccept\nPeople call newcomers weeds, and gardeners say how to get rid of "
    "them at night. It began "
    "as a joke in the spring of last year. By the summer it had spread to every board of the town, and beyond it.",
    "잡초라는 말은 게시판에서 새로 온 사람들을 낮추어 부르는 말이다. 처음에는 농담이었으나 여름에는 모든 게시"
    "판으로 퍼졌고, 지금은 신문에도 "
    "나온다. 로그인 후 글을 쓰는 사람들이 특히 자주 쓴다고 하며, 이 말을 싫어하는 사람이 많다.",
    "He wrote that robots should be denied access. Nobody on the board agreed, and the thread went on for "
    "weeks with long "
    "arguments about who counts as a person, until the moderators closed it and named it an insult to newcomers.",
]


@pytest.mark.parametrize(("code", "text"), NOTICES, ids=range(len(NOTICES)))
def test_a_notice_is_named(code: str, text: str) -> None:
    assert in_place_of_text("", text, SeenText()) == code


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_is_none(text: str) -> None:
    assert in_place_of_text("Boards", text, SeenText(has_scripts=True)) == ""


def test_what_a_page_tells_programs_counts_too() -> None:
    teaser = "How newcomers became weeds. It began as a joke among gardeners."
    assert in_place_of_text("", teaser, SeenText(is_paid=True)) == "paywall"
    assert in_place_of_text("", teaser * 20, SeenText(is_paid=True)) == ""
    assert in_place_of_text("Just a moment...", "boards.example", SeenText()) == "bot_check"


@pytest.mark.parametrize(
    ("text", "seen", "code"),
    [
        ("Loading…", SeenText(has_scripts=True, is_empty_shell=True), "script_built"),
        ("", SeenText(has_scripts=True), "script_built"),
        ("", SeenText(), ""),
        ("Menu", SeenText(has_scripts=True, noscript="이 사이트는 자바스크립트가 필요합니다."), "script_built"),
        ("Weed: a newcomer.", SeenText(has_scripts=True), ""),
        (
            "On the boards it began as a joke. " * 5,
            SeenText(has_scripts=True, noscript="Please enable JavaScript."),
            "",
        ),
    ],
)
def test_a_page_that_scripts_would_build_is_named(text: str, seen: SeenText, code: str) -> None:
    assert in_place_of_text("", text, seen) == code
