"""Boxes of post offices: a word that says so with its number, or a short one with a postcode and a town behind."""

import re

from annotation.domain.masking.spans import Places, Plain
from vocabulary.late_patterns import late

_TOWN = r"(?!(?:And|But|The|This|That|I|He|She|It|We|You|They|So|If|Not|No|Please|Send|Write|Und|Aber|Et|Y|E)\b)" + (
    r"[A-ZÄÖÜÀ-ÞŠŽŁ][\w'’-]{1,30}(?:[ -](?:am |an der |de |la |sur )?[A-ZÄÖÜÀ-ÞŠŽŁ][\w'’-]+){0,2}"
)
_CODE = (
    r"(?:(?:[A-Z]{1,2}-)?(?:\d{5}(?:-\d{3,4})?|\d{4}(?: [A-Z]{2})?|\d{3} \d{2}|\d\d-\d{3})"
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?![A-Za-z\d])"
)
_STATE = r"(?:(?:[A-Z]{2,3}\.?)? ?)"
_WHERE = rf"(?:,? {_CODE} {_TOWN}|,? {_TOWN},? {_STATE}{_CODE}|, {_TOWN})?"
"""Where the office is: a town with its postcode on either side, or behind a comma."""
_NUMBER = r"\d{1,6}(?:-?[A-Z]\b)?(?![\d.,]\d)"
_LATIN = late(
    r"(?<!\w)(?:(?i:(?:g\.?)?p\.? ?o\.? ?box|post[ -]?office box|(?:private|locked) bag|bo[iî]te postale|caixa postal"
    r"|casella postale|skrytka pocztowa|posta kutusu|ap(?:artado|do\.?)(?: (?:de )?correos| postal)"
    r"|casilla(?: de correos?| postal))|B\.P\.|P\.K\.)"
    rf",?(?: ?(?i:n[or]?[.°º]|number|:|\#))? ?{_NUMBER}{_WHERE}"
    r"|(?<!\w)Postfach(?: ?:| Nr\.)? (?:\d{1,3}(?: \d{2,3}){1,2}|\d{3,6})(?!\d)"
    rf"(?! (?:\w+e )?(?i:[\w-]*mails?|\w*nachricht\w*|briefe?|neue)\b){_WHERE}"
    rf"|(?<!\w)(?:BP|CS|TSA|PL|PB|CP|Pf\.?|Postboks|Boks|Box|Postbus|Postfach) \d{{1,6}},? {_CODE} {_TOWN}"
    rf"|(?i:escr[ií]|direcci|domicili|env[ií]|mand)[^\d\n]{{0,25}} (?P<casilla>Casilla \d{{1,5}}(?:-[A-Z])?, {_TOWN})"
)
_HAS_LATIN = ("box", "post", "pocz", "bag ", "boks", "correo", "casilla")
_SHORT = re.compile(r"[A-Z](?:[A-Z]{1,2}|f|\.[A-Z])\.? ?\d")
_OTHER = late(
    r"(?<!\w)(?:а/я|абонентский ящик|абонентская скринька) ?№? ?\d{1,6}(?!\d)"
    r"|(?<!\w)(?:ص ?\. ?ب\.?|صندوق (?:ال)?بريد)(?: ?رقم)? ?:? ?\d{1,6}(?!\d)"
    r"|(?:पोस्ट|पी\.? ?ओ\.?) बॉक्स(?: (?:नंबर|नं\.|संख्या))? ?\d{1,6}(?!\d)"
    r"|[가-힣]{1,8}(?:우체국|우편집중국) ?사서함 ?(?:제 ?)?\d{1,5}(?:-\d{1,4})?호?(?![\d개건])"
    r"|(?<!음성)(?<!음성 )사서함 ?(?:제 ?)?\d{1,5}(?:-\d{1,4})?호"
    r"|(?:第? ?\d{1,5}[号號]?信箱第?\d{1,4}[号號]?分箱|(?<=[市县縣省区區])第? ?\d{2,5}[号號]?信箱)"
    r"|(?:邮政|郵政|邮局|郵局)信箱 ?第?\d{1,6}(?:-\d{1,4})?[号號]?(?:信箱)?"
    r"|信箱 ?第?\d{1,6}(?:-\d{1,4})? ?[号號](?![召码碼])"
    r"|(?:[一-鿿ァ-ヶ]{1,8}郵便局 ?)?私書箱 ?第?\d{1,5}号?(?![\d個つ件本])"
)
_HAS_OTHER = ("а/я", "абонент", "ص", "صندوق", "बॉक्स", "사서함", "信箱", "私書箱")


def boxes(text: Plain) -> Places:
    """Return the boxes of post offices."""
    forms = [_LATIN] if text.has_letters and (text.has(_HAS_LATIN) or _SHORT.search(text)) else []
    if not text.is_latin and text.has(_HAS_OTHER):
        forms.append(_OTHER)
    return [found.span(found.lastgroup or 0) for form in forms for found in form.finditer(text)]
