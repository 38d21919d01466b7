"""Notices in place of a page's text: consent to cookies, a check for programs, a subscription, a login, no such page.

A page is such a notice if it has one of their sentences, and too little is left for an article once those are gone,
with buttons, menus and what else such notices speak of. A banner over an article is none.
"""

import re
from collections.abc import Sequence

from providers.pages import consent_walls
from providers.pages.html_text import SeenText
from vocabulary.late_patterns import late

# What has gone and how it is said that it has, in one sentence, whatever stands first.
_ABSENT = (
    (r"\b(page|file|url|content|post|article|thread|topic|video|story|profile|link|document)\b",
     r"not found|(could ?n.t|could not|cannot|can.t) be found|does(n.t| not) exist|no longer (exists?|available)"
     r"|(been|was) (deleted|removed)|(is ?n.t|is not) available|not be found"),
    (r"페이지|게시물|게시글|(?<![가-힣])글|기사|문서|주소|자료", r"찾을 수 없|존재하지 않|(?<!수 )없습니다|삭제"),
    (r"页面|网页|頁面|網頁|内容|內容|文章|帖子|链接|連結|主题|主題",
     r"不存在|找不到|无法找到|被?删除|被?刪除|失效|已下架|走丢|未找到"),
    (r"ページ|記事|投稿|トピック", r"見つかりません|存在しません|削除され|ありません|終了(し|いた)"),
    (r"\b(seite|artikel|beitrag|thema|inhalt)\b",
     r"nicht (gefunden|existiert|mehr (verfügbar|vorhanden)|vorhanden)|existiert nicht|gelöscht"),
    (r"\b(page|article|contenu|sujet|message)\b", r"introuvable|n.existe|n.est plus (disponible|en ligne)|supprimé"),
    (r"\b(página|artículo|contenido|artigo|conteúdo|tópico)\b",
     r"no (se )?(encontr|ha sido encontr)|no existe|ya no está|não (foi )?encontrad|não existe|eliminad|removid"
     r"|excluíd"),
    (r"\b(pagina|articolo|contenuto|bericht|artikel)\b",
     r"non (è stata |è stato |si )?(trova|esiste|più disponibile)|niet (gevonden|bestaat)|bestaat niet"
     r"|verwijderd|rimoss"),
    (r"\b(stron[ay]|artykuł|wpis|temat)\b", r"nie (została |został |zosta)?(znalezion|istnieje|można odnaleźć)"
     r"|usunięt"),
    (r"\b(sayfa|içerik|haber|konu)\w*", r"bulunama|bulunmamaktadır|mevcut değil|kaldırıl|silin"),
    (r"\b(страниц|материал|статья|тема|запись)\w*", r"не (найден|существует)|удал[её]н"),
    (r"(الصفحة|المقال|الموضوع|المحتوى)", r"غير موجود|لم يتم العثور|حذف"),
)  # fmt: skip


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Return a pattern for both parts of one of the pairs within a sentence, in either order."""
    return "|".join(f"(?:{noun})[^.。]{{0,60}}(?:{said})|(?:{said})[^.。]{{0,40}}(?:{noun})" for noun, said in pairs)


# A program of the reader's that the page wants off, and that.
_BLOCKER = (
    (r"\bad[ -]?block\w*|werbeblocker|bloqueu?r de pub\w*|bloqueador de (?:anuncios|publicidad)\w*",
     r"disabl|turn(ed)? off|deactivat|whitelist|pause|switch(ed)? off|detected|ausschalt|deaktivier|abschalt|désactiv"
     r"|desactiv|desativ"),
    (r"광고 ?차단", r"해제|꺼|끄|중지|감지"),
    (r"(广告|廣告)(拦截|屏蔽|攔截|封鎖)", r"关闭|停用|禁用|關閉|检测"),
    (r"広告ブロック", r"オフ|無効|解除|検出"),
)  # fmt: skip

# What the notice says, and what else it speaks of. The first that fits names the page.
_NOTICES = {
    "bot_check": (
        r"verify (that )?you are (a )?human|checking (if|whether|your browser)|(you are |you're )?not a robot\b"
        r"|unusual (traffic|activity)|(complete|solve) (the|this) (captcha|security check)|cookies to continue"
        r"|access (is |was )?denied|access to this (page|site) has been|permission to access|attention required"
        r"|just a moment|ddos protection|have been blocked|로봇이 아닙니다|보안 ?문자|자동 ?(등록|입력) ?방지"
        r"|비정상적인 (접근|트래픽)|접근이 (차단|거부|제한)|人机验证|完成(安全)?验证|安全验证|验证码|驗證碼|拒绝访问"
        r"|访问被拒|拒絕存取|ロボットではありません|アクセスが拒否"
        r"|(eres|es usted|é|sei|êtes|sind|bist|bent|jesteś|är) (un |ein |een |une |umano|humano)?(humano?|umano"
        r"|humain|mensch"
        r"|mens|człowiekiem|människa)\b|(kein|pas un|no (soy|eres|es) un|não sou um|non sono un|geen"
        r"|nie jestem) robot"
        r"|robotem\b|robot olmad|insan oldu|не робот|вы человек|لست (روبوت|برنامج)|أنك إنسان|sicherheitsprüfung"
        r"|vérification de sécurité|verificación de seguridad|проверк\w+ (безопасности|браузера)|滑块.{0,6}验证|"
        + _pairs(_BLOCKER),
        r"advertis|\bads\b|werbung|publicité|anuncios|광고|广告|廣告|広告"
        r"|captcha|robot|cloudflare|ray id|\bip\b|security|browser|javascript|automated|로봇|보안|자동|브라우저"
        r"|机器人|浏览器|安全|ブラウザ|segur|sécur|sicher|veilig|bezpiecz|güven|безопасн|навигатор|браузер|المتصفح",
    ),
    "paywall": (
        r"subscribe (now |today )?(to|and) (continue|keep|read)|to (continue|keep) reading"
        r"|already a (subscriber|member)"
        r"|subscribers?[- ]only|(only|exclusive(ly)?) (for|to) (paying )?(subscribers|members)"
        r"|for (paying )?subscribers"
        r"|free articles|유료 ?(회원|구독자?|기사|콘텐츠)|구독(하시면|자 전용|자만)|구독 ?후|付费(内容|文章"
        r"|阅读|会员)|付費"
        r"|订阅后|訂閱後|购买后|会员(专享|可见)|有料(会員|記事)|会員限定|nur für abonnenten|réservé aux abonnés"
        r"|(para|solo) suscriptores",
        r"subscri|per (month|week)|free trial|cancel any|unlimited access|구독|결제|이용권|订阅|訂閱|会员|月額"
        r"|\babo(?:s|nn\w*)?\b",
    ),
    "login_wall": (
        r"(log|sign) ?in to (continue|view|see|read)|(must|need to|have to) (be logged|log ?in|sign ?in)"
        r"|please (log|sign) ?in|로그인이 필요|로그인 ?후|로그인해 ?(주세요|주십시오)|请(先)?登录|請(先)?登入"
        r"|登录后|登入後"
        r"|ログインが必要|ログインして"
        r"|(melden? (sie sich|dich)|loggen? (sie sich|dich)) (bitte )?(an|ein)\b"
        r"|(müssen|musst|müsst)\b.{0,20}(angemeldet|eingeloggt|einloggen|anmelden|registriert)"
        r"|nur für (angemeldete|registrierte)|(connectez|identifiez|inscrivez)-vous (pour|afin)"
        r"|(être|vous) (connect|identifi|inscri)\w+ (pour|afin)|réservé aux (membres|inscrits)"
        r"|(inicia|inicie) sesión para|(debes?|necesitas?|tienes que) (iniciar sesión|registrar|estar registrad)"
        r"|(accedi|registrati|effettua (il login|l.accesso)) per|devi (accedere|effettuare|essere registrat)"
        r"|(log|meld je) (in|aan) om|moet (je )?(ingelogd|aangemeld|inloggen)"
        r"|(faça login|inicie sessão) para|(precisa|deve) (fazer login|estar conectado|iniciar sessão)"
        r"|zaloguj się,? (aby|by|żeby)|musisz (być zalogowan|się zalogować)"
        r"|войдите,? (чтобы|на сайт|в (аккаунт|систему))|(необходимо|нужно) (войти|авторизоваться|зарегистрироваться)"
        # Whoever reads must tell their age, which takes an account or a telephone too.
        r"|성인 ?인증(이|을| ?후|해)|본인 ?(인증|확인)(이 필요| ?후)|미만.{0,12}(이용|열람|접근)할 수 없"
        r"|\b(18|21)( years)? (or older|of age|or over|and over) to (view|enter|see|access|continue|read)"
        r"|(confirm|verify) (your age|that you are (over|at least))|仅限成年人|未满.{0,6}岁.{0,12}(禁止|不得|离开)"
        r"|(完成|进行)实名认证|18歳未満.{0,20}(閲覧|利用|お断り)|年齢(確認|認証)(が|を)|altersprüfung"
        r"|alter bestätigen"
        r"|plus de 18 ans pour|mayor de (edad|18 años) para",
        r"password|account|sign ?up|register|forgot|비밀번호|아이디|회원 ?가입|密码|密碼|账号|帳號|注册|註冊"
        r"|パスワード|アカウント|passwort|benutzername|registrier|mot de passe|identifiant|un compte|contraseña"
        r"|regístr"
        r"|una cuenta|wachtwoord|\bsenha|cadastr|hasło|парол|регистрац|인증|your age|认证|年齢",
    ),
    # Servers that answer 200 all the same.
    "not_found": (
        r"\b404\b.{0,20}\b(error|not found)|\berror 404|^\W*not found\W*$"
        r"|(couldn.t|could not|can.t|cannot) find (the|that|this|your|what)\b|" + _pairs(_ABSENT),
        r"\b404\b|home ?page|go back|search|address|\burls?\b|\blink|mistyp|moved|deleted|removed|sorry|server"
        r"|request|홈으로|주소|메인|이전 ?페이지|검색|요청|삭제|首页|首頁|返回|地址|链接|連結|删除|刪除|トップ"
        r"|アドレス|startseite|accueil|inicio|início|home\b|strona główna|ana sayfa|startpagina|главн|الرئيسية"
        r"|掲載期間",
    ),
    "unavailable": (
        r"(domain|name)\b.{0,30}\b(is|may be|could be) (for sale|available)|domain.{0,20}(zu verkaufen|à vendre"
        r"|en venta"
        r"|in vendita|à venda|na sprzedaż|te koop|satılık|продается|продаётся)|(domain|buy) (this|the) domain"
        r"|域名.{0,10}(出售|转让)|도메인.{0,10}(판매|매매)|unavailable (due to|for) legal reasons|\b451\b"
        r"|(not|n.t|un)\s?(be )?available (in|for (readers|visitors|users) (in|from)) (your|this) (country"
        r"|region|location)"
        r"|access (cannot|can.t) be granted|(귀하의|해당) (국가|지역)에서는|您所在的?(国家|地区|國家|地區)"
        r"|お住まいの(国|地域)"
        r"|nicht verfügbar in ihrem land|(pas|non) disponible dans votre (pays|région)"
        r"|no está disponible en su (país|región)"
        r"|(we|site|website|page|service|server|system|portal|app)\b.{0,40}\bmaintenance\b"
        r"|^\W*(currently |down )?(under|for|scheduled) maintenance\W*$|maintenance mode|(be"
        r"|we.ll be) (right )?back (soon|shortly)|temporarily (unavailable|closed|down)"
        r"|wartungsarbeiten|wegen wartung|en maintenance|maintenance en cours|en mantenimiento|em manutenção"
        r"|in manutenzione"
        r"|in onderhoud|prace konserwacyjne|przerwa techniczna|bakımda|технические работы|на обслуживании|تحت الصيانة"
        r"|قيد الصيانة|(시스템|서비스|서버|사이트|정기|긴급) ?점검|점검 ?중|(系统|系統|网站|網站"
        r"|服务器)?(正在)?(维护中|維護中|升级维护|停机维护)"
        r"|メンテナンス中",
        r"later|again|soon|sorry|thank|domain|price|offer|legal|country|region|european|gdpr|\beea\b|später|plus tard"
        r"|réessay|más tarde|mais tarde|più tardi|później|tekrar|позже|لاحقا|다시|이용|불편|점검|稍后|稍後|谅解"
        r"|維護|维护"
        r"|しばらく|ご不便|buy now|\$\s?\d",
    ),
}
_NOTICE_PATTERNS = {code: late(wording, re.IGNORECASE) for code, (wording, _spoken) in _NOTICES.items()}
_SPOKEN_OF = {code: late(spoken, re.IGNORECASE) for code, (_wording, spoken) in _NOTICES.items()}
_ROOM = {"paywall": 900, "unavailable": 60}
"""A paywall leaves the beginning of an article to be seen; bridges and shops are closed for repairs too."""
_LITTLE, _NOTHING = 160, 100  # letters; a character of East Asian scripts counts as three
_LONGEST = {"bot_check": 1_000, "login_wall": 1_500, "paywall": 20_000, "not_found": 1_000,
            "unavailable": 1_000}  # fmt: skip
_ON_THE_WAY = 300
"""Letters at most of a page that only leads on: where to, and a link for those whom nothing takes there."""
_BEHIND = 200
"""Letters at least of a text that goes on behind an offer; where it only begins there, more."""
_BREAKS_OFF = re.compile(r"(?:…|⋯|\.{3})\W*\Z")
_SENTENCE = re.compile(r"[^\n.!?。！？]+[.!?。！？]*")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BUTTON = 40
_AGE_ASKED = 700
"""Letters at most of a page that asks for the reader's age."""
_AGE = re.compile(r"(?<![A-Za-z\d.,])(?:16|18|19|20|21)(?:\+|\b(?![.,]?\d)|(?=\s?(?:세|岁|歲|歳)))")
_END = (".", "!", "?", "。", "！", "？")
_SIGN_IN = re.compile(
    r"\b(log|sign) ?in\b|login|anmeld|einlogg|connexion|connectez|inicia|acced|entrar|iniciar|zaloguj|logowan|inlogg"
    r"|giriş|oturum|войти|вход|تسجيل الدخول|로그인|登录|登入|登錄|ログイン",
    re.IGNORECASE,
)
_NEEDS_SCRIPTS = re.compile(
    r"(enable|requires?|need|turn on|without|활성화|启用|啟用|有効).{0,40}(javascript|js\b|자바스크립트)"
    r"|(javascript|자바스크립트).{0,40}(enable|require|disabled|활성화|필요|사용|启用|啟用|禁用|有効)",
    re.IGNORECASE,
)


def in_place_of_text(title: str, text: str, seen: SeenText) -> str:
    """Return the code of the notice that a page shows in place of its text; empty if it shows its text."""
    whole = text if seen.heading in text else f"{seen.heading}\n{text}"
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(whole[: max(_LONGEST.values())])]
    for code, pattern in _NOTICE_PATTERNS.items():
        if len(text) > _LONGEST[code] or (code == "paywall" and (seen.shows_sold or _goes_on(sentences))):
            continue
        by_program = (code == "bot_check" and pattern.search(title)) or (code == "paywall" and seen.is_paid)
        if by_program or any(pattern.search(sentence) for sentence in sentences):
            remaining = [sentence for sentence in sentences if not _is_furniture(sentence, code)]
            if sum(map(_weight, remaining)) < _ROOM.get(code, _LITTLE):
                return code
    told = sum(_weight(sentence) for sentence in sentences if not _is_button(sentence))
    if told < _LITTLE and seen.asks_password and _SIGN_IN.search(" ".join([title, *sentences, *seen.buttons])):
        return "login_wall"
    if told < _LITTLE and seen.has_captcha and not seen.asks_password:
        return "bot_check"
    if _asks_for_consent(sentences, seen):
        return "consent_wall"
    if _asks_for_age(sentences, seen):
        return "login_wall"
    if seen.leads_on and sum(map(_weight, sentences)) < _ON_THE_WAY:
        return "moved"
    return "script_built" if _is_script_built(sentences, seen) else ""


def _goes_on(sentences: list[str]) -> bool:
    """Return whether the text goes on after it offers a subscription, to its end: then nothing of it was kept back."""
    pattern = _NOTICE_PATTERNS["paywall"]
    at = next((place for place, sentence in enumerate(sentences) if pattern.search(sentence)), len(sentences))
    told = [sentence for sentence in sentences if not _is_furniture(sentence, "paywall") and sentence.endswith(_END)]
    behind = [sentence for sentence in told if sentence in sentences[at:]]
    if not behind or _BREAKS_OFF.search(sentences[-1]):
        return False
    return sum(map(_weight, behind)) >= (_BEHIND if len(told) > len(behind) else _ON_THE_WAY)


def _asks_for_consent(sentences: list[str], seen: SeenText) -> bool:
    labels = set(seen.buttons) if seen.is_question else set()
    prose = [sentence for sentence in sentences if not (sentence in labels if labels else _is_button(sentence))]
    buttons = [*filter(_is_button, sentences), *seen.buttons]
    return consent_walls.is_wall(prose, buttons, _weight, is_marked=seen.is_consent, is_question=seen.is_question)


def _asks_for_age(sentences: list[str], seen: SeenText) -> bool:
    """Return whether a page of a few lines asks for the reader's age, with an answer by a word or by the age."""
    lines = [*sentences, *seen.buttons]
    answers = [line for line in lines if _weight(line) < 2 * _BUTTON and not line.endswith(_END)]
    asked = [line for line in lines if _AGE.search(line)]
    if not asked or sum(map(_weight, lines)) > _AGE_ASKED or any(map(consent_walls.is_told, lines)):
        return False
    given = [line for line in answers if consent_walls.YES_OR_NO.match(line) or _AGE.search(line)]
    is_asked = any(line in seen.buttons or consent_walls.YES_OR_NO.match(line) for line in given)
    return is_asked and len(given) > 1  # short lines with such a number are in tables too


def _is_script_built(sentences: list[str], seen: SeenText) -> bool:
    remaining = sum(_weight(sentence) for sentence in sentences if not _is_button(sentence))
    if not seen.has_scripts or remaining >= _NOTHING:
        return False
    says_so = _NEEDS_SCRIPTS.search(" ".join([seen.noscript, *sentences]))
    return not sentences or seen.is_empty_shell or bool(says_so)


def _is_furniture(sentence: str, code: str) -> bool:
    """Return whether it is a button, an entry of a menu, or part of a notice."""
    return (
        _is_button(sentence)
        or bool(_SPOKEN_OF[code].search(sentence))
        or any(pattern.search(sentence) for pattern in _NOTICE_PATTERNS.values())
        or len(consent_walls.topics_of(sentence)) > 1
    )


def _is_button(sentence: str) -> bool:
    return _weight(sentence) < _BUTTON and not sentence.endswith(_END)


def _weight(sentence: str) -> int:
    return len(sentence) + 2 * len(_EAST_ASIAN.findall(sentence))
