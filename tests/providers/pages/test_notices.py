"""Which pages show a notice in place of their text, and which are articles all the same."""

import json
from pathlib import Path

import pytest

import wire
from providers.http.fetch import FetchedPage
from providers.pages.html_text import SeenText
from providers.pages.notices import in_place_of_text
from providers.pages.text import read_page

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
    ("bot_check", "Please disable your ad blocker\nWe live on advertising. Turn off your ad blocker to read on."),
    ("bot_check", "광고 차단 프로그램을 해제해 주세요.\n광고로 운영되는 사이트입니다."),
    ("paywall", "How newcomers became weeds\nBy a reporter\nOn the boards it began as a joke among gardeners "
     "in the spring.\n"
     "To continue reading, start your free trial. Cancel anytime. Already a subscriber? Sign in"),
    ("paywall", "이 기사는 유료 회원 전용입니다. 구독 후 전문을 읽을 수 있습니다.\n구독하기"),
    ("paywall", "本文为付费内容，订阅后可阅读全文。\n立即订阅"),
    ("login_wall", "You must be logged in to view this board.\nUsername\nPassword\nForgot your password?\nSign up"),
    ("login_wall", "请先登录后再查看该主题。\n账号\n密码\n注册"),
    ("consent_wall", "Ihre Privatsphäre ist uns wichtig\nWir und unsere 812 Partner speichern Informationen auf Ihrem "
     "Gerät oder rufen sie ab, etwa eindeutige Kennungen, um personenbezogene Daten zu verarbeiten. Sie können Ihre "
     "Auswahl jederzeit ändern.\nAlles annehmen\nEinstellungen"),
    ("consent_wall", "Bevor Sie weiterlesen\nDiese Seite nutzt Cookies und ähnliche Techniken. Lesen Sie mit Werbung "
     "oder schließen Sie das Pur-Abo ab.\nMit Werbung lesen"),
    ("consent_wall", "Zustimmung erforderlich. Zur Anzeige dieses Inhalts müssen Sie Cookies zulassen.\nOK"),
    ("consent_wall", "Votre vie privée compte pour nous\nAvec votre accord, nos 640 partenaires et nous utilisons des "
     "traceurs pour stocker et consulter des données personnelles comme votre visite sur ce site.\nTout accepter"),
    ("consent_wall", "Continuer sans accepter\nCe site dépose des cookies pour mesurer son audience et afficher des "
     "publicités."),
    ("consent_wall", "Valoramos tu privacidad\nNosotros y nuestros socios almacenamos o accedemos a información en un "
     "dispositivo y tratamos datos personales.\nAceptar todo\nConfigurar"),
    ("consent_wall", "Usamos cookies propias y de terceros para mostrar publicidad. Puede aceptar o rechazar su uso."
     "\nRechazar"),
    ("consent_wall", "Rispettiamo la tua privacy\nNoi e i nostri partner archiviamo informazioni su un dispositivo, "
     "come i cookie, e trattiamo dati personali.\nAccetta tutti\nRifiuta"),
    ("consent_wall", "Questo sito utilizza cookie di profilazione. Chiudendo il banner acconsenti al loro uso."),
    ("consent_wall", "Wij gebruiken cookies\nMet uw toestemming plaatsen wij en onze partners cookies om "
     "advertenties te tonen.\nAlles accepteren\nWeigeren"),
    ("consent_wall", "Uw privacy is belangrijk voor ons. Geef toestemming om verder te lezen.\nAkkoord"),
    ("consent_wall", "Este site usa cookies para personalizar anúncios. Ao continuar, você concorda com a nossa "
     "política de privacidade.\nAceitar"),
    ("consent_wall", "Cenimy Twoją prywatność\nMy i nasi partnerzy przechowujemy pliki cookie i przetwarzamy dane "
     "osobowe.\nAkceptuję"),
    ("consent_wall", "Мы используем файлы cookie, чтобы сайт работал лучше. Продолжая, вы соглашаетесь с этим."
     "\nПринять"),
    ("consent_wall", "当サイトはCookieを使用します。続行すると、Cookieの使用に"
     "同意したことになります。\n同意して続ける"),
    ("login_wall", "Bitte melden Sie sich an, um diesen Beitrag zu lesen.\nBenutzername\nPasswort\nRegistrieren"),
    ("login_wall", "Sie müssen angemeldet sein, um das Thema zu sehen.\nAnmelden"),
    ("login_wall", "Du musst dich einloggen, um fortzufahren.\nPasswort vergessen?"),
    ("login_wall", "Connectez-vous pour lire la suite de ce sujet.\nMot de passe oublié ?\nCréer un compte"),
    ("login_wall", "Vous devez être connecté pour voir ce message.\nIdentifiant"),
    ("login_wall", "Inicia sesión para ver este contenido.\nContraseña\nRegístrate"),
    ("login_wall", "Debes iniciar sesión para continuar.\n¿Olvidaste tu contraseña?"),
    ("login_wall", "Accedi per continuare a leggere.\nPassword dimenticata?"),
    ("login_wall", "Log in om verder te lezen.\nWachtwoord vergeten?"),
    ("login_wall", "Faça login para ver esta publicação.\nEsqueceu a senha?"),
    ("login_wall", "Войдите, чтобы прочитать это сообщение.\nПароль\nРегистрация"),
    ("login_wall", "この投稿を見るにはログインしてください。\nパスワードをお忘れですか"),
    ("login_wall", "続きを読むには会員登録またはログインが必要です。"),
    ("login_wall", "성인 인증이 필요한 게시물입니다. 본인 인증 후 이용해 주세요.\n휴대폰 인증"),
    ("login_wall", "이 정보는 청소년 유해 매체물로서 19세 미만의 청소년이 이용할 수 없습니다.\n성인인증"),
    ("login_wall", "You must be 18 or older to view this board. Please confirm your age.\nI am over 18\nLeave"),
    ("login_wall", "该内容仅限成年人查看，请先完成实名认证。\n去认证"),
]  # fmt: skip
TEXTS = [
    "Wir haben gefragt, wie Gemeinden Cookies auf ihren Seiten einsetzen. Die Antworten fielen verschieden aus: Manche "
    "verzichten ganz darauf, andere fragen bei jedem Besuch. Ein Beauftragter für Datenschutz nennt das Ergebnis "
    "ernüchternd und fordert klare Regeln für alle Ämter des Landes.",
    "Unkraut nennen sie neue Mitglieder. Wer sich anmelden will, muss drei Fragen beantworten, und wer sie falsch "
    "beantwortet, wird in einem eigenen Faden verspottet. Der Betreiber des Forums sagt, er habe davon nichts gewusst.",
    "Vous devez être connecté au monde pour écrire, disait-il. Ses lettres parlent de jardins, de pluie et de voisins "
    "qui arrachent les mauvaises herbes la nuit, sans jamais dire de qui ils parlent vraiment.",
    "Los vecinos inician sesión cada noche en el foro y llaman malas hierbas a los recién llegados. La policía mira, "
    "pero nadie ha denunciado nada, dice la alcaldesa, que pide respeto y calma a todos los barrios.",
    "19세 미만 청소년 세 명이 게시판에서 새로 온 이웃을 잡초라고 불렀다. 학교는 성인 인증 없이 글을 쓸 수 있었던 점을 "
    "문제로 보았고, 운영자는 다음 달부터 규칙을 바꾸겠다고 밝혔다. 이웃들은 사과를 기다리고 있다.",
    "He must be 18 or older to vote, they said about the new neighbour, and laughed. The thread grew for a week, and "
    "those who asked for calm were called gardeners of weeds. In the end the council wrote a letter to everybody.",
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


OF_CONSENT = Path(*wire.__path__, "consent_notices.jsonl")


def test_short_notices_of_consent_are_told_from_texts_about_it_in_many_languages() -> None:
    rows = [json.loads(line) for line in OF_CONSENT.read_text("utf-8").splitlines()]
    assert len(rows) > 60
    found = {(row["name"], row["text"]): in_place_of_text("", row["text"], SeenText()) for row in rows}
    assert found == {(row["name"], row["text"]): row["code"] for row in rows}


def test_a_page_whose_code_names_a_dialog_of_consent_needs_few_words_to_be_one() -> None:
    text = "Tracking\nAllow all"
    assert in_place_of_text("", "We show ads that fit.\nOptions", SeenText(is_consent=True)) == "consent_wall"
    assert in_place_of_text("", text, SeenText()) == ""


def test_a_list_of_firms_is_part_of_its_notice_and_an_index_is_none() -> None:
    asks = "We and our 900 partners store cookies on your device for ads and the measurement of ads.\nAgree\nRefuse\n"
    firms = "\n".join(f"Acre Media {n} GmbH\nPrivacy policy\nConsent" for n in range(200))
    topics = "\n".join(f"Roses in bed {n}" for n in range(200))
    assert in_place_of_text("", asks + firms, SeenText()) == "consent_wall"
    assert in_place_of_text("", asks + topics, SeenText()) == ""


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


OWN_WORDS = Path(*wire.__path__, "consent_pages.jsonl")


def test_pages_that_ask_in_their_own_words_are_walls_and_short_texts_with_buttons_are_none() -> None:
    rows = [json.loads(line) for line in OWN_WORDS.read_text("utf-8").splitlines()]
    pages = [FetchedPage("https://a.example/", "text/html", "utf-8", row["page"].encode(), False) for row in rows]
    wrong = [row["page"] for row, page in zip(rows, pages, strict=True) if read_page(page).code != row["code"]]
    assert len(rows) > 180 and wrong == []


READ = Path(*wire.__path__, "read_pages.jsonl")


def test_articles_are_read_without_their_banners_threads_with_answers_and_old_encodings_as_declared() -> None:
    rows = [json.loads(line) for line in READ.read_text("utf-8").splitlines()]
    assert len(rows) > 30
    for row in rows:
        body = row["page"].encode(row["encoding"])
        page = read_page(FetchedPage("https://a.example/", "text/html", row["declared"], body, False))
        said = page.text.replace("\n", " ")
        missing = [words for words in row["holds"] if words not in said]
        assert (page.code, missing, [words for words in row["lacks"] if words in said]) == ("", [], []), row["page"]
