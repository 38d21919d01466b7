"""Names in messengers, where a word names it: KakaoTalk, WeChat in its disguises, QQ, LINE, Telegram, Douyin, others.

The word stays, its name is what is found: "카톡아이디는 <messenger>이에요". A name without a digit or a sign is one
only after "id" or a colon.
"""

import re

from annotation.domain.masking.spans import Places, whole

_ID = r"(?P<id>[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
_DISTINCT = r"(?P<id>(?=[a-z._-]{0,29}[0-9_])[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
_MIXED = r"(?P<id>(?=[0-9._-]{0,29}[a-z])(?=[a-z._-]{0,29}[0-9_])[a-z0-9][a-z0-9_.-]{2,29}(?<![.-]))"
_CALLED = "아이디|معرف|حساب|usuario|utilisateur|benutzername|username|user|계정|id|账号|帳號|号码|號碼|号|號|ユーザー名"
_MUST = rf"(?: ?の?(?:{_CALLED}|群|@|[:=→➡]))+(?: ?(?:은|는|이|가|is|是|为|為|は))? ?[:=]? ?@?"
_PERHAPS = r"(?: ?(?:은|는|이|가|is|是|为|為|は))? ?@?"
_IS = r"(?: ?は ?| (?:c'est|c’est|est|es|is|ist|è|هو) )@?"
_KAKAO = "카카오 ?톡|카톡|까톡|깨톡|ㅋㅌ"
_WECHAT = (
    r"[微薇威维徽v][^\w\s]{0,2}信|卫星|微x|加[微薇威维徽][^\w\s]{0,2}"
    r"|(?<![a-z])v[❤♥💚💙💛🧡🖤💜✉]\ufe0f?|[微薇威维徽][❤♥💚💙💛🧡🖤💜✉]\ufe0f?|(?<![a-z])(?:vx|wx|wei ?xin"
    r"|wechat|we chat)|위챗|加v|[+➕]v"
)
_OTHERS = (
    "kakao ?talk|카카오|라인|ライン|賴|赖|telegram|텔레그램|텔레|电报|電報|(?<![a-z])tg|纸飞机"
    "|テレグラム|カカオ(?:トーク)?|インスタ(?:グラム)?|ディスコ(?:ード)?|스냅챗|라인톡|脸书|臉書|飞机号"
    "|телеграмм?|телега|инста(?:грам)?|вконтакте|дискорд|вотсап|تلغرام|تيليجرام|تليجرام|تلجرام|واتس ?اب|واتساب"
    "|سناب(?: ?شات)?"
    "|انستا(?:غرام|جرام)?|إنستا(?:غرام|جرام)?|تيك توك|ديسكورد|टेलीग्राम|इंस्टा(?:ग्राम)?"
    "|(?<![a-z])(?:viber|zalo|skype)"
    "|抖音|快手|小红书|微博|douyin|tiktok|틱톡|인스타(?:그램)?|instagram|insta|(?<![a-z])ig|snapchat|discord|디스코드"
)
_WORDS_TOO = r"(?<![a-z])(?:line|snap|signal|threads)(?![a-z])"
"""Their names are also words: what follows has a digit or a low line, or stands after "id"."""
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<id>(?:https?://)?(?:open\.kakao\.com|t\.me|wa\.me|line\.me|discord\.gg)/[\w/.+~-]+)",
        rf"(?:{_KAKAO}|{_WECHAT}|{_OTHERS}){_MUST}{_ID}",
        rf"(?:{_KAKAO}|{_WECHAT}){_PERHAPS}{_DISTINCT}",
        rf"(?:텔레그램|텔레|인스타(?:그램)?|틱톡){_PERHAPS}{_MIXED}",
        rf"{_WORDS_TOO}{_MUST}{_DISTINCT}",
        rf"{_WORDS_TOO}(?: ?(?:{_CALLED}))+{_PERHAPS}(?: ?[:=] ?)?@?{_ID}",
        rf"(?:{_OTHERS}|{_WORDS_TOO}){_IS}{_MIXED}",
        rf"(?:{_OTHERS}) (?=[a-z0-9.]{{1,29}}_){_ID}",
        r"(?P<id>(?<![a-z0-9])wxid_[a-z0-9_-]{3,30})",
        r"(?:(?<![a-z])qq|(?<![a-z])q(?=群)|扣扣|企鹅|球球|秋秋|抠抠)(?: ?(?:\d?群|号码|号|號|id))*(?: ?[是为:])? ?"
        r"(?P<id>[1-9]\d{4,11})(?!\d)",
        r"(?:discord|디스코드)\W{0,3}(?P<id>[\w.]{2,32}\#\d{4})(?!\d)",
    )
]
_NAMED = re.compile(
    r"\b(?:open\.k|t\.me|wa\.me|kakao|line|tele|tg|ig|insta|snap|disc|vib|zalo|skyp|sign|threads|tik|douy|qq|vx|wx"
    r"|wei|wech|we ch)|\+v",
    re.IGNORECASE,
)
"""How the names begin in Latin letters: most texts in these letters have none."""


def messengers(text: str) -> Places:
    """Return the names in messengers, and the addresses of their chats."""
    if text.isascii() and not _NAMED.search(text):
        return []
    return whole(found.span("id") for pattern in _PATTERNS for found in pattern.finditer(text))
