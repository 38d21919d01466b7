"""Names in messengers, where a word names it: KakaoTalk, WeChat in its disguises, QQ, LINE, Telegram, Douyin, others.

The word stays, its name is what is found: "카톡아이디는 <messenger>이에요". A name without a digit or a sign is one
only after "id" or a colon.
"""

import re
from collections.abc import Iterator

from annotation.domain.masking.spans import Places, Plain, whole
from vocabulary.late_patterns import late

_ID = r"(?P<id>(?!https?:|www\.|\d{1,4}(?![a-z0-9_.-]))[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
_DISTINCT = (
    r"(?P<id>(?!\d+\.\d|(?:\d{1,4}|(?:19|20)\d{6})(?![a-z0-9_.-]))"
    r"(?=[a-z._-]{0,29}[0-9_])[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
)
_MIXED = r"(?P<id>(?!\d+\.\d)(?=[0-9._-]{0,29}[a-z])(?=[a-z._-]{0,29}[0-9_])[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
_NAMELIKE = (
    r"(?P<id>(?!covid|windows|android|galaxy|iphone|ipad)(?=[a-z._-]{2,26}\d|[a-z.-]{1,26}_)"
    r"[a-z][a-z0-9._-]{4,29}(?<![.-]))"
)
"""A name with a digit or a low line, and no version, measure or device."""
_CALLED = "아이디|معرف|حساب|usuario|utilisateur|benutzername|username|user|계정|id|账号|帳號|号码|號碼|号|號|ユーザー名"
_MUST = (
    rf"(?:[ -]?の?(?:{_CALLED}|群|@|[:=→➡]| -(?= )))+(?: ?(?:은|는|이|가|ist?|est?|es|è|هو|هي|是|为|為|は))? ?[:=]? ?@?"
)
_PERHAPS = r"(?: ?id)?(?: ?(?:은|는|이|가|is|是|为|為|は))? ?[(\[「【\"]?@?"
_IS = r"(?: ?は ?| (?:c'est|c’est|est|es|is|ist|c|called|hei(?:ß|ss)t|s['’]appelle|se llama|si chiama|è|هو) )@?"
_KAKAO = "카카오 ?톡|카톡|까톡|깨톡|ㅋㅌ"
_WECHAT = (
    r"[微薇威维徽v][^\w\s]{0,2}信|卫星|微x|加[微薇威维徽][^\w\s]{0,2}"
    r"|(?<![a-z])v[❤♥💚💙💛🧡🖤💜✉]\ufe0f?|[微薇威维徽][❤♥💚💙💛🧡🖤💜✉]\ufe0f?|(?<![a-z])(?<![a-z]\d)(?:vx|wx|wei ?xin"
    r"|wechat|we chat)|위챗|加v|[+➕][v薇威维徽微]|(?<![a-z])v(?=[:号])|(?<!\w)[薇威维徽](?=:)|텔그|らいん"
)
_OTHERS = (
    "kakao ?talk|(?<!\\w)тг(?!\\w)|카카오|라인|ライン|賴|赖|telegram|텔레그램|텔레|电报|電報|(?<![a-z])tg|纸飞机"
    "|绿(?:色)?泡泡|小飞机|小企鹅|v我"
    "|テレグラム|カカオ(?:トーク)?|インスタ(?:グラム)?|ディスコ(?:ード)?|스냅챗|라인톡|脸书|臉書|飞机号"
    "|телеграмм?|телега|инста(?:грам)?|вконтакте|дискорд|вотсап|تلغرام|تيليجرام|تليجرام|تلجرام|واتس ?اب|واتساب"
    "|سناب(?: ?شات)?"
    "|انستا(?:غرام|جرام)?|إنستا(?:غرام|جرام)?|تيك توك|ديسكورد|टेलीग्राम|इंस्टा(?:ग्राम)?"
    "|(?<![a-z])(?:viber|zalo|skype)"
    "|ان?ستق?رام|[اإ]نستق?رام|انستجرام|سنابشات|(?:ال)?فيس ?بوك|تويتر"
    "|페이스북|페북|인별(?:그램)?|텔그램|推特|b站"
    "|سي[غجق]نال|سكايب|فايبر|скайпе?|вайбере?|сн[эа]п(?:чате?)?|тиктоке?|스카이프|바이버|왓츠앱|スカイプ|स्काइप|वाइबर"
    "|垢(?=[ :→=は])|咸鱼|闲鱼|スナチャ|フェイスブック"
    "|(?<![a-z])(?:ins(?=[:号是 ])|threema)|디코|ट्विटर|स्नैप(?:चैट)?|व्हाट्सएप|वॉट्सऐप|트위터|스레드|ツイッター"
    "|快手号|火山号|得物|探探|陌陌"
    "|抖音|快手|小红书|微博|douyin|tiktok|틱톡|인스타(?:그램)?|instagram|insta|(?<![a-z])ig|snapchat|discord|디스코드"
)
_WORDS_TOO = r"(?<![a-z])(?:line|snap|signal|threads)(?![a-z])"
_PLACES = (
    r"(?:(?<![a-z])(?:kik|psn|xbox|gamertag|steam|battletag|twitch|bereal|facebook|fb|twitter|vk|onlyfans|linkedin|youtube"
    r"|mastodon|bluesky|bsky|wickr|imo|roblox|gmail|hotmail|outlook|지메일|네이버|soundcloud|pinterest|line|signal|snap"
    r"|threads)(?![a-z])|(?<!\w)сигнале?(?!\w)|시그널|シグナル|सिग्नल)"
)
"""Their names are also words: what follows has a digit or a low line, or stands after "id"."""
_NAMES = rf"{_KAKAO}|{_WECHAT}|{_OTHERS}"
_BETWEEN = (
    r"(?: (?:name|handle|tag|acc|account|me|is|my|add|user|on|here|now|as|under|of|his|hers|von|ihr|ihm|mir|на|पर|में))*"
)
NAME = late(rf"(?={_NAMES}|{_PLACES})", re.IGNORECASE)
_AFTER_WORD = [
    late(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:{_NAMES}){_MUST}{_ID}",
        rf"(?:{_KAKAO}|{_WECHAT}){_PERHAPS}{_DISTINCT}",
        rf"(?:텔레그램|텔레|인스타(?:그램)?|틱톡|카카오|라인|디코|디스코드|カカオ(?:トーク)?|ディスコ(?:ード)?|インスタ(?:グラム)?"
        rf"|テレグラム|電報|电报|纸飞机){_PERHAPS}{_MIXED}",
        rf"(?:{_KAKAO}|{_WECHAT}|(?:{_OTHERS})(?:(?<![a-z])|(?![a-z])))[^\x00-\x7f]{{0,6}}[^\w\n]{{0,3}}{_NAMELIKE}",
        rf"(?:{_OTHERS}|{_PLACES}){_BETWEEN}[:=@,. -]{{1,3}}{_NAMELIKE}",
        rf"{_WORDS_TOO}{_MUST}{_DISTINCT}",
        rf"{_PLACES}(?:(?: (?:me|us|name|tag))?{_MUST}|{_IS}| ?[(\[「【]){_MIXED}",
        rf"{_WORDS_TOO}(?: ?(?:{_CALLED}))+{_PERHAPS}(?: ?[:=] ?)?@?{_ID}",
        rf"(?:{_OTHERS}){_IS}{_MIXED}",
        rf"(?:{_OTHERS}) (?=[a-z0-9.]{{1,29}}_){_ID}",
        r"(?:인스타(?:그램)?|인별(?:그램)?|インスタ(?:グラム)?|[اإ]نستا(?:غرام|جرام)?|инста(?:грам)?|इंस्टा(?:ग्राम)?|instagram"
        r"|insta|(?<![a-z])(?:ig|ins))"
        r"(?:은|는|이|가|は|是)?[ :→=]{1,3}@?(?P<id>[a-z]{1,15}\.[a-z]{1,15}(?:\.[a-z]{1,15})?)(?![a-z0-9./])",
        rf"(?:discord|디스코드|디코|ディスコ(?:ード)?|дискорд|ديسكورد){_BETWEEN}(?:[\W_]{{0,3}}|{_IS})"
        r"(?P<id>[\w.]{2,32}\#\d{4})(?!\d)",
        rf"(?:{_NAMES})[,;:]? ?(?:my |mein |mon |mi )?(?:{_CALLED}|name|handle|nick|nickname)"
        rf"(?: ?[:=] ?| is |['’]s | )?@?{_ID}",
        r"signal(?:[^\w\n]{1,3}|(?: (?:me|us|at|on|is|id|user|username|name|acc|account|handle))+[: ]{1,2})@?"
        r"(?P<id>[a-z_][a-z0-9_]{2,31}\.\d{2,9})(?![a-z0-9])",
        rf"(?:(?<=\b(?:my|mi|su|tu|sa|ta) )|(?<=\b(?:mon|meu|mio|his|her|son|ton) )|(?<=\bmein ))"
        rf"(?:instagram|insta|(?<![a-z])ig){_IS}(?P<id>[a-z]{{1,15}}(?:\.[a-z]{{1,15}}){{1,2}})(?![a-z0-9./])",
    )
]
_CHATS = (
    r"open\.kakao\.com|t\.me|telegram\.me|wa\.me|line\.me|discord\.gg|discord\.com/invite|chat\.whatsapp\.com"
    r"|signal\.me|m\.me|u\.wechat\.com|qm\.qq\.com"
)
_ANYWHERE = [
    (parts, late(pattern, re.IGNORECASE))
    for parts, pattern in (
        (
            (".me", ".kakao", "discord.", "whatsapp.", ".qq", "wechat."),
            rf"(?P<id>(?:https?://)?(?<![\w.])(?:{_CHATS})/[\w/.+~-]+)",
        ),
        (("live:",), r"(?<![a-z])(?P<id>live:[a-z.]{1,30}[0-9_][a-z0-9_.]*)"),
        (
            ("#",),
            r"(?P<id>[\w.]{2,32}\#\d{4}) (?:on|auf|sur|en|в|da|bei) (?:my |the )?(?:discord|дискорд)",
        ),
        (
            ("#",),
            r"(?:\badd(?: me)?|friend(?: me)?|친추|フレンド|ajoute|agrega|加好友)[\s:]{1,3}"
            r"(?P<id>[\w.]{2,32}\#\d{4})(?!\d)",
        ),
        (("$", "@"), r"(?<![a-z])(?:cash ?app|venmo|paypal)\W{0,3}[$@](?P<id>[a-z][\w-]{2,30})"),
        (
            ("_",),
            r"(?<![\w@./-])(?P<id>(?=[a-z0-9.]{1,25}_)[a-z0-9][a-z0-9_.]{3,29})(?: is me)? "
            r"(?:on|auf|en|sur|su|no|в|на) "
            r"(?:insta|ig\b|snap|tiktok|telegram|tg\b|discord|kik\b|twitter|threads|инст|телег|тг\b)",
        ),
        (
            ("👻",),
            rf"(?:(?<![a-z])(?:sc|snap|snapchat)\W{{0,2}}👻|👻 ?[:=])[\s:@–-]{{0,3}}{_DISTINCT}",
        ),
        (("wxid_",), r"(?P<id>(?<![a-z0-9])wxid_[a-z0-9_-]{3,30})"),
        (
            ("q", "扣", "企鹅", "球球", "秋秋", "抠抠"),
            r"(?:(?<![a-z])qq|(?<![a-z])q(?=[群:号])|[加+➕]q|[加+➕]扣|扣扣|企鹅|球球|秋秋|抠抠)"
            r"(?: ?(?:\d?群|号码|号|號|id))*(?: ?[是为:])? ?"
            r"(?P<id>[1-9]\d{4,11})(?!\d)",
        ),
    )
]
_LETTER_OF = str.maketrans("013457@$", "oieastas")
_WITH_DIGITS = re.compile(r"(?<![a-z0-9])(?=[a-z]{0,7}[013457])[a-z013457]{3,9}(?![a-z0-9])")
_IN_DISGUISE = {
    *("discord", "insta", "instagram", "telegram", "snap", "snapchat", "signal", "tiktok", "kik", "whatsapp", "wechat"),
    *("kakao", "twitter", "skype", "twitch", "steam", "threads", "facebook"),
}
"""Names that are also written with digits for letters: disc0rd."""
_WHOLE = (
    *(
        "tg",
        "viber",
        "zalo",
        "skype",
        "ins",
        "threema",
        "ig",
        "line",
        "snap",
        "signal",
        "threads",
        "kik",
        "psn",
        "xbox",
    ),
    *("gamertag", "steam", "battletag", "twitch", "bereal", "facebook", "fb", "twitter", "vk", "onlyfans", "linkedin"),
    *("youtube", "mastodon", "bluesky", "bsky", "wickr", "imo", "roblox", "gmail", "hotmail", "outlook", "soundcloud"),
    *("pinterest", "vx", "wx", "weixin", "wei xin", "wechat", "we chat"),
)
_INSIDE = ("kakao", "telegram", "douyin", "tiktok", "insta", "snapchat", "discord", "b站")
_OF_OTHER_SCRIPTS = (
    *(
        "카카오",
        "카톡",
        "까톡",
        "깨톡",
        "ㅋㅌ",
        "위챗",
        "텔",
        "라인",
        "스냅챗",
        "틱톡",
        "인스타",
        "디스코드",
        "페이스북",
    ),
    *("시그널", "스카이프", "바이버", "왓츠앱", "シグナル", "スカイプ", "सिग्नल", "स्काइप", "वाइबर", "سكايب", "فايبر"),
    *("سيغنال", "سيجنال", "سيقنال", "скайп", "вайбер", "снэп", "снап", "тикток", "сигнал"),
    *("페북", "인별", "디코", "트위터", "스레드", "지메일", "네이버"),
    *("卫星", "賴", "赖", "电报", "電報", "纸飞机", "绿", "小飞机", "小企鹅", "脸书", "臉書", "飞机号", "推特"),
    *("咸鱼", "闲鱼", "快手", "火山号", "得物", "探探", "陌陌", "抖音", "小红书", "微博"),
    *("垢", "らいん", "ライン", "テレグラム", "カカオ", "インスタ", "ディスコ", "スナチャ", "フェイス", "ツイッター"),
    *("теле", "инста", "вконтакте", "дискорд", "вотсап", "тг"),
    *("تلغرام", "تيليجرام", "تليجرام", "تلجرام", "واتس", "سناب", "انست", "إنست", "است", "تيك توك", "ديسكورد"),
    *("الفيس", "فيس", "تويتر", "टेली", "इंस्टा", "ट्विटर", "स्नैप", "व्हाट्स", "वॉट्स"),
)
_SIGNS = re.compile(
    r"[微薇威维徽]|加(?=[vV微薇威维徽])|[+➕](?=[vV薇威维徽微])|[vV](?=[:号x我信]|[^\w\s]{1,2}信|[❤♥💚💙💛🧡🖤💜✉])"
)
"""How names begin in small letters: after another letter, after none, and with a sign or one character."""


def beginnings(text: Plain) -> Iterator[int]:
    """Yield where a name may begin. Each name has a part above, and most texts have none: that is quick to see."""
    low = text.low
    if len(low) != len(text):  # some capitals have two small letters
        yield from (word.start() for word in NAME.finditer(text))
        return
    for parts in (_INSIDE,) if text.is_latin else (_INSIDE, _OF_OTHER_SCRIPTS):
        for part in parts:
            if part in low:
                yield from (found.start() for found in re.finditer(part, low))
    for part in _WHOLE:
        if part in low:
            yield from (found.start() for found in re.finditer(part, low) if not low[: found.start()][-1:].islower())
    if "v" in low or not text.is_latin:
        yield from (found.start() for found in _SIGNS.finditer(text))


def _undisguised(text: Plain) -> Plain:
    """Return the text with the letters of names that have digits for some; each stays in its place."""
    if not (text.digits and text.has_letters) or len(text.low) != len(text):
        return text
    shown = str(text)
    for found in _WITH_DIGITS.finditer(text.low):
        name = found.group().translate(_LETTER_OF)
        if name in _IN_DISGUISE:
            shown = shown[: found.start()] + name + shown[found.end() :]
    return text if shown == text else Plain(shown)


_IN_LATIN = re.compile("[A-Za-z0-9][A-Za-z0-9_.-]{2}")
_POINT_INSIDE = re.compile(r"\.[A-Za-z]")


def _may_be_told(text: Plain) -> bool:
    """Return whether a text in Latin letters has what tells a name from a word: digits, signs, points inside."""
    return (
        bool(text.digits)
        or "_" in text
        or ":" in text
        or "=" in text
        or "@" in text
        or bool(_POINT_INSIDE.search(text))
    )


def messengers(text: Plain) -> Places:
    """Return the names in messengers, and the addresses of their chats."""
    if not (_may_be_told(text) if text.is_latin else _IN_LATIN.search(text)):
        return []
    text = _undisguised(text)
    words = [word for word in sorted(set(beginnings(text))) if NAME.match(text, word)]
    named = (pattern.match(text, word) for word in words for pattern in _AFTER_WORD)
    anywhere = (pattern for parts, pattern in _ANYWHERE if text.has(parts))
    return whole(
        [
            *(found.span("id") for found in named if found and _is_name(found)),
            *(found.span("id") for pattern in anywhere for found in pattern.finditer(text)),
        ]
    )


_A_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.[a-z]+)?", re.IGNORECASE)
_OTHER_LETTER, _SIGN = late("[\u0370-\uffff]"), re.compile("[:=→➡@]")
_ENDS = re.compile(r" *(?:[^\w\s]|[^\x00-\u036f]|\n|\Z)")


def _is_name(found: re.Match[str]) -> bool:
    """Return whether it is a name. What may be a word needs a sign before it and an end behind it.

    Not so after words of other scripts, among which a word in Latin letters stands out.
    """
    if not _A_WORD.fullmatch(found["id"]):
        return True
    before = found.string[found.start() : found.start("id")]
    if _OTHER_LETTER.search(_SIGN.sub("", before)):
        return True
    return bool(_SIGN.search(before)) and ("." in found["id"] or bool(_ENDS.match(found.string, found.end("id"))))
