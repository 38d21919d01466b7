"""Walls of consent, by their shape: who shares what with how many partners, and buttons to accept, refuse and choose.

The texts differ from site to site and language to language. What they speak of is the same everywhere, since the
framework of the advertisers (IAB, Transparency and Consent Framework) prescribes it. So words are listed by what they
mean, as their beginnings, for the languages of the EU, for Korean, Japanese, Chinese, Arabic, Turkish and Russian, and
for Ukrainian, Persian, Hebrew, Hindi, Thai, Vietnamese and Indonesian.
"""

import re
from collections.abc import Callable, Sequence

from vocabulary.late_patterns import late

_TOPICS = {
    "cookies": (
        "cookie kakor küpsis eväste slapuk sīkdat sīkfail süti piškot kolačić fianá бисквитк кукита ciastecz куки "
        "traceur çerez कुकी 쿠키 クッキー كوكيز تعريف~الارتباط"
        " คุกกี้ کوکی עוגיות קובצי~cookie кукі kuki"
    ),
    "partners": (
        "partneř fornitor proveed fornecedor leverantör poskytovat sağlayıc 광고사 광고주 事業者 服务商 服務商 "
        "广告主 third~part dritt terceros terceiros terzi tiers tredje derde třet tretí trzeci треть трети trečios "
        "treš kolmansi τρίτ üçüncü 第三方 第三者 제3자 compan sociét entidad empres unternehm firmen companhi "
        "*partner *anbieter kumppan socios parceir parten parceri συνεργ εταίρ партн партнь comhphá sieħeb msieħba "
        "ortak ortağ vendor fournisseur leverand leverant leveranc dostawc dodavat dobavi dobavl furnizor "
        "toimittaj tarnija tiekėj piegādāt beszállít προμηθευτ доставчи поставщик satıcı tedarik 파트너 협력사 "
        "제휴 パートナー 提携 ベンダー 合作伙伴 合作夥伴 供应商 供應商 وشركا شركا"
        " พันธมิตร พาร์ทเนอร์ شریک شرکای שותפ भागीदार mitra đối~tác"
    ),
    "device": (
        "browser selaim brauser veebilehits prehliad preglednik браузър περιηγ brabhs navigat navegador webbläs "
        "prohlíž böngész браузер tarayıc selain brskalnik przegląd navigador "
        "naršykl pārlūk πρόγραμμα~περ المتصفح متصفح 브라우저 ブラウザ 浏览器 瀏覽器 browserul device gerät "
        "endgerät appareil dispositiv apparaat apparat urządzen zařízen zariaden naprav uređaj устройств συσκευ "
        "enhed enhet laite laitte seadme įrengin ierīc eszköz gléas dispozitiv cihaz 기기 단말 端末 デバイス "
        "设备上 裝置 الجهاز"
        " อุปกรณ์ เบราว์เซอร์ دستگاه مرورگر מכשיר דפדפן डिवाइस пристро perangkat peramban thiết~bị"
    ),
    "traces": (
        "spårning sporing seuranta sledován követés urmărir проследя παρακολούθ praćenj sledenj jälgimi sekim izsekoš "
        "추적 追踪 追跡 トラッキング تتبع izleme слежк rastre traccia "
        "tracking track volgen suivi historique sledov śledz profilin navigaz navegaci navigaci gedrag "
        "comportement statistik statisti analyti analiti analýz statystyk 방문~기록 이용~기록 閲覧 浏览记录 "
        "瀏覽記錄 浏览历史 التصفح"
    ),
    "data": (
        "personenbezog persoonsgeg personoplys personuppg henkilötie isikuandm asmens~duom personas~dat "
        "személyes~adat sonraí~pears kişisel~veri 개인~데이터 個人データ 個人情報 個人資料 个人数据 个人信息 "
        "personal~data données~perso caractère~personnel datos~person dati~person dados~pess dane~osob danych~osob "
        "osobní~údaj osobné~údaj osobn\\w+~poda osebn\\w+~poda лични~данн персональн\\w+~данн προσωπικ\\w+~δεδομ "
        "caracter~personal البيانات~الشخصية identifi идентифик αναγνωριστ tunnist kennung 식별자 識別子 標識 "
        "标识符 識別碼 المعر aitheant azonosító tanımlay"
        " ข้อมูลส่วนบุคคล داده\\s?های~شخصی נתונים~אישיים व्यक्तिगत~डेटा персональн\\w+~дан data~pribadi dữ~liệu~cá~nhân"
    ),
    "ads": (
        "pubblicit reklām riklam إعلان اعلان advertee reclame markedsf marknadsf marketing 마케팅 营销 行銷 "
        "マーケティング комерс рекламод "
        "ad~firm ad~compan ad~partner ad~network advertis ads "
        "werbung anzeige publicit publicid anuncio anúncio annunci annonce advertent reklam reclam "
        "oglas реклам διαφημ annons mainon mainos hirdet fógra 광고 広告 廣告 广告 الإعلان"
        " โฆษณา تبلیغ פרסו विज्ञापन iklan quảng~cáo"
    ),
    "purpose": (
        "measur messung mesure medici mediç misura mätning måling pomiar měřen meran merjen mjeren mittaa mõõt "
        "matuo mērī mérés hirdetésmér tomhas kejl măsur ölç измер μέτρη 측정 測定 衡量 成效 وقياس audienc audience "
        "zielgrupp publik público publico pubblico аудитор κοινού yleisö auditor közöns udjenz kitle 조사 受众 "
        "受眾 利用者 الجمهور målgrupp annoncemål personali персонали εξατομικ 맞춤 個人化 个性化"
    ),
    "privacy": (
        "privacy privatsph privatlig privatliv privatum privatnost privatezz privātum vie~privée privaci prywatno "
        "soukrom súkrom zasebnost поверител конфиденц приватн απόρρητ ιδιωτικ integritet yksityis privaats "
        "adat\\w*~véd adatvéd phríobh príobh confidențial gizlili 개인정보 프라이버시 プライバシー 隐私 隱私 خصوصي "
        "datenschutz"
        " ความเป็นส่วนตัว حریم~خصوصی פרטיות निजता गोपनीयता privasi quyền~riêng~tư"
    ),
    "consent": (
        "permission permiso autoris autoriz erlaubnis izni izin разреш toestem luvalla engedély dovol einverst "
        "consent einwillig zustimm consenso acconsent toestemm zgod zgadza souhlas súhlas soglas suglas pristan "
        "privol strinja съглас соглас соглаша συγκατ συμφων samtyck samtykk suostum nõusol nõust sutik piekr "
        "hozzájár toili kunsens acord onay rıza agree akkoord concord 동의 同意 أوافق موافق"
        " ยินยอม رضایت موافقت הסכמה सहमत згод погодж setuju đồng~ý"
    ),
}
_ACTIONS = {
    "accept": (
        "przejdź přejít weiterles fortsätt fortsæt doorgaan toesta conforme 受け入れ "
        "allow permit autoris autoriz tout~autor "
        "izin~ver разреш einverst erlaub povol zezw leidžiu atļaut luba engedély السماح accept accett acept "
        "akzept annehm zulass godkänn tillåt tillad hyväks priim prihva prijm přij apstip elfogad glac aċċett "
        "naċċetta taċċetta kabul прин прием αποδ aceit akcept zaakcept 允许 接受 全部接受 許可 承認 수락 허용 قبول "
        "ok agree zustimm akkoord concord souhlas súhlas strinja zgadza соглас съглас συμφων nõust sutink piekr "
        "accord acord 동의 同意 أوافق j'accept salli sprejm godta godk прийн đồng~ý स्वीकार 承諾 got~it understood "
        "rozum rendben разбр tamam gerai labi selge tajjeb entend entiendo verstand snap ho~cap j'ai~comp 知道 "
        "확인 хорошо u~redu v~poriad forstå jag~förs selvä κατάλ înțel 了解 حسنا"
        " ยอมรับ ตกลง می\\s?پذیرم قبول~می מאשר מסכים אישור погодж terima chấp~nhận"
    ),
    "reject": (
        "only~what strictly~nec necess nécess le~strict necesar solo~lo só~o notwend nödvänd nødvend noodzak "
        "nezbytn potrebn niezbęd szükség απαραίτ απολύτως необходим gerekli yalnızca bare~nød bara~nöd nepieciešam "
        "tik~būt välttäm vajalik 필수만 必要な 仅限必要 僅限必要 ضروري reject declin refus je~refuse ablehn "
        "disagree rechaz rifiut rejeit recus weiger odrzu odmít odmiet zavrn odbij отказ отклон απορρ διαφων afvis "
        "neka avvis hylkä keeldu nesut atmes noraid nepiek elutas diúlt nirrif irrif refuz redd 거부 거절 拒否 "
        "拒绝 拒絕 不同意 同意しない 동의하지 رفض لا~أوافق no~acept non~accett não~concord nie~zgadza ne~strinja "
        "nu~sunt nesúhlas не~соглас"
        " ปฏิเสธ رد~کردن نمی\\s?پذیرم דחייה अस्वीकार відхил tolak từ~chối"
    ),
    "choose": (
        "settin option prefer manage customi einstell param personnal configur ajust impost definiç instell optie "
        "opties ustawien opcj nastav možnost mogućn postavk настройк опци вариант ρυθμίσ επιλογ indstil inställ "
        "asetuks vaihtoeht valiku seade nustaty parinkč iestatī iespēj beállít lehetős rogha għażl setăr opțiun "
        "ayar seçenek tercih 설정 옵션 設定 選択肢 选项 選項 设置 الخيارات إعدادات opzioni opciones opções možn "
        "więcej more weitere plus~d"
        " ตั้งค่า ตัวเลือก گزینه تنظیمات הגדרות אפשרויות विकल्प налаштув варіант opsi pengatur tùy~chọn"
    ),
}
_ADDRESSES = (
    "ön önt önnek σας μας jouw ons vám vás váš vašeho vašem twojej twoje twoją ciebie dig din dit dine ditt "
    "sinulle sinun dumneavoastră jūsų jums jūsu teie teile meie vam vas vaše ви вас вам ваш вашего size sizin "
    "tiegħek duit leat dir dein deine tuoi tua tus tuyo su~visita votre voit we our you your this~site "
    "this~website wir unser ihre ihnen diese~seite nous notre nos vous ce~site nuestro nuestra nuestros usamos "
    "este~sitio noi nostri nostro questo~sito wij onze uw deze~site nós nosso você este~site my nasz nasi "
    "ta~strona мы наш вы этот~сайт ние нашите vi vår våra vores naše našich mi~i me~ja mes mēs aħna ár εμείς biz "
    "เรา คุณ เว็บไซต์นี้ شما این~وب האתר שלך אנחנו हम आपकी आपके यह~वेबसाइट "
    "цей~сайт ми~та kami anda situs~ini chúng~tôi trang~này "
    "bu~site 사이트 당사 저희 귀하 当サイト 当社 本网站 本網站 我们 我們 您 نحن"
)
"""How a site speaks of itself and to its reader."""
_FILES = (
    "file data bits~of dateien daten rechner handy telefon fichier ordinateur téléphone informations archivo equipo "
    "teléfono ordenador datos file dati telefono ficheiro arquivo computador dados telemóvel bestand gegevens "
    "telefoon "
    "filer mobil uppgift oplysning tiedosto puhelim plik dane soubor údaj súbor údaje fájl adat fișier date файл данн "
    "телефон αρχεί δεδομέν τηλέφων datotek podat fail andme dati duomen telefone comhad fajl dosya veri telefonu "
    "bilgisayar сведен 파일 휴대폰 컴퓨터 정보 ファイル スマホ パソコン 情報 文件 手机 手機 电脑 電腦 信息 資訊 "
    "ملفات جهازك هاتفك "
    "technolog your~visit visits besuche visites visitas visite bezoek besök besøg käynte odwiedzin návštěv návštev "
    "látogat vizitel посещен επισκέψε posjet obisk külastus apmeklēj apsilank ziyaret 방문 訪問 访问 الزيارات"
)
"""What stands for cookies, and for what they are kept on, where a page asks about them in its own words."""
_USED_ON_TEXTS = (
    "reply answer comment share print report like save copy listen quote edit download search follow log sign tweet "
    "upvote downvote vote result subscribe next previous antwort kommentier teilen drucken melden speichern kopier "
    "anhören zitier bearbeit herunterl suche gefällt folgen répond comment partag imprim signal enregistr copier "
    "écouter citer modifi télécharg recherch aime suivre respond coment compart imprim denunci guard copia escuch "
    "citar edita descarg busca gusta seguir rispond commenta condivid stampa segnala salva ascolt cita modific scaric "
    "cerca piace segui partilh guarda ouvir baixar curtir beantwo reager deel~ delen afdruk opslaan kopië luister "
    "citeer bewerk volg svara dela skriv rapporter spara kopiera lyssna citera redigera gilla svar del~ udskriv "
    "anmeld "
    "gem~ lyt vastaa jaa tulosta ilmianna tallenna kopioi kuuntele lainaa muokkaa tykkää odpowiedz udostępnij drukuj "
    "zgłoś zapisz kopiuj cytuj edytuj pobierz lubię odpov sdíl zdieľ tisk tlač nahlás ulož kopír stáhn válasz megoszt "
    "nyomtat jelent mentés másol letölt răspunde distribuie tipăr raport salvea descarc отговор сподели печат доклад "
    "απάντη κοινοποί εκτύπω αναφορ odgovor podijeli deli~ ispis natisni prijavi vasta jaga prindi teata atbild dalī "
    "drukā ziņo atsaky dalin spausd pranešk freagair roinn wieġeb aqsam yanıtla cevap paylaş yazdır şikayet kaydet "
    "beğen ответ подели печат пожалов сохран копир нрав скача 답글 댓글 답장 공유 인쇄 신고 저장 복사 인용 "
    "수정 다운로드 검색 팔로우 투표 返信 コメント 共有 シェア 印刷 通報 保存 コピー いいね 引用 編集 検索 回复 "
    "回復 评论 評論 分享 打印 列印 举报 檢舉 收藏 复制 複製 点赞 引用 编辑 下载 搜索 رد تعليق مشاركة طباعة "
    "إبلاغ حفظ نسخ "
    "إعجاب تحميل بحث"
)
"""The beginnings of labels of what one does with a text, which no notice of consent has."""
_FIRMS = re.compile(
    r"\b(?:GmbH|AG|Ltd|Inc|LLC|SAS?|S\.?A|S\.?r\.?l|B\.?V|Oy|AB|ApS|A/S|plc|Corp|Pty|Sp\. z o\.o)\b\.?\W*\Z"
)
_NO_WORD = re.compile("[\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BEGINS = r"(?<![a-zA-Z\u00c0-\u024f\u0370-\u04ff])"
_LITTLE, _STRONG, _SENTENCES = 160, 4, 5
_LISTED, _SHORT = 600, 400
_ANSWERS, _IN_HEADINGS = {"accept", "reject"}, {"cookies", "privacy"}
_COUNT = re.compile(r"(?<![\d.,])\d{2,4}(?![\d.,]*\d)(?!\s?[%年])(?<!19\d\d)(?<!20\d\d)")
"""How many partners there are."""


def _compiled(words: str, ends: str = "") -> re.Pattern[str]:
    """Return what finds words by their beginnings; Arabic, East Asian and starred ones are found inside too."""
    listed = [word.replace("~", r"\s") for word in words.split()]
    inside = [word for word in listed if _NO_WORD.match(word) or word.startswith("*")]
    begins = "|".join(word for word in listed if word not in inside)
    return late("|".join([rf"{_BEGINS}(?:{begins}){ends}", *(word.lstrip("*") for word in inside)]), re.IGNORECASE)


_TOPIC_PATTERNS = {topic: _compiled(words) for topic, words in _TOPICS.items()}
_ACTION_PATTERNS = {action: _compiled(words) for action, words in _ACTIONS.items()}
_TOOLS = _compiled(_USED_ON_TEXTS)
YES_OR_NO = re.compile(
    r"(?:yes|no|enter|exit|leave|i am|i'm|ja|nein|nee|oui|non|entrer"
    r"|quitter|sí|si|entrar|salir|sair|sim|não|entra|esci|tak"
    r"|nie|wejdź|wyjdź|ano|áno|ne|vstoupit|odejít|igen|nem|da|nu|да|не|нет|войти|выйти|ναι|όχι|nej|kyllä|en|ei|jah|jā|nē"
    r"|taip|is-iva|iva|le|evet|hayır|네|예|아니[요오]|들어가기|입장|나가기|はい|いいえ|入る|入場|出る|退場|是|否|不是|进入|進入"
    r"|离开|離開|我已|未满|未滿|نعم|لا|دخول|خروج)(?!\w*\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+)\b",
    re.IGNORECASE,
)
_SAVE = _compiled(
    "save speicher enregistr guard salva opslaan zapisz ulož spara gem tallenna mentés запази сохран αποθήκ salvesta "
    "saglab išsaug shrani spremi kaydet 저장 保存 حفظ"
)
_GO_ON = _compiled(
    "continu weiter fortfahren verder doorgaan prosegui dalej pokrač tovább jatka fortsæt fortsätt nastavi nadalj "
    "jätka turpin tęsti продълж продолж συνέχ devam 계속 続け 继续 繼續 متابعة"
)
_OTHER_FORMS = re.compile(
    r"\b(?:me|te|ti|tu|tú|ty|ci|ne|ni|nam|ni|os|oss|du|îți|vă|meil\w*|sulle|sind|sinu\w*|teid|sinut|sinua|int"
    r"|inti|ни|вас|lhe|toi|two(?:im|ich|jej|je|ją|ja|i|imi)|ön\w*)\b"
    r"|\w{2,}(?:amos|emos|imos|iamo|[aeiu]my|[aeiuáí]me|[aeiu]mo|mme|ăm|[ıiuü]yoruz|[sz]?[ıiuü]n[ıiuü]z|аме|яме"
    r"|juk|jük)\b"
    r"|실 수|시겠|시려면|시면|십시오|세요|드[려립]|ください|ますか|します|お読み|(?:لك|جهازك|هاتفك|نحفظ|نريد|نود)",
    re.IGNORECASE,
)
"""Pronouns and endings of verbs by which a site speaks of itself and to its reader where it leaves pronouns out."""
_QUESTION = re.compile(r"[?？؟;]\s*\Z|(?:까|나)요[.?]?\s*\Z|か。?\s*\Z")
_OTHER_WORDS = _compiled(_FILES)
_TELLS = re.compile(r"(?<!니)다[.!]\s*\Z")
"""Korean as newspapers tell something; who asks a reader for something is more polite."""
_MONEY = r"(?:€|eur\w*|ευρώ|\$|£|zł|pln|kč|ft|lei|leva|лв|kr\.?|sek|dkk|tl|₺|руб\w*|₽|₩|원|円|¥|元)"
_PRICE = re.compile(
    rf"(?:\d(?:[.,]\d+)?\s?{_MONEY}|{_MONEY}\s?\d[\d.,]*).{{0,30}}(?:mon[ad]?t|month|maand|mois|mese|\bmes\b|mês|mies"
    r"|měsí|mesia|havi|hó|lun[ăa]|месе|месяц|μήνα|måned|månad|kuukau|kk|kuu|mēne|mėnes|mesec|mjese|mhí|xahar|월|달|月"
    r"|شهر|ay|jahr|year|année|año|anno|jaar|rok)"
    r"|(?:매월|매달|월|毎月|月額|月|每月)\s?[₩¥]?\s?\d",
    re.IGNORECASE,
)
"""So much for each month or year."""
_ADDRESS_PATTERN = _compiled(_ADDRESSES, r"\b")


def topics_of(sentence: str) -> set[str]:
    """Return which of the topics of consent a sentence touches."""
    return {topic for topic, pattern in _TOPIC_PATTERNS.items() if pattern.search(sentence)}


def is_banner(text: str, buttons: Sequence[str]) -> bool:
    """Return whether a few lines with these buttons speak of cookies and are answered, and not replied to."""
    answers = set[str]().union(*map(_actions_of, buttons))
    return "cookies" in topics_of(text) and bool(answers & _ANSWERS) and not _serves_a_text(buttons)


def are_answers(labels: Sequence[str]) -> bool:
    """Return whether one of these is the answer to a question."""
    return any(YES_OR_NO.match(label) or _actions_of(label) & _ANSWERS for label in labels)


def is_told(sentence: str) -> bool:
    """Return whether a Korean sentence tells something, as an article does."""
    return bool(_TELLS.search(sentence))


def is_wall(
    prose: Sequence[str],
    buttons: Sequence[str],
    weight: Callable[[str], int],
    *,
    is_marked: bool,
    is_question: bool = False,
) -> bool:
    """Return whether a page of these sentences and buttons asks for consent and holds nothing else.

    `weight` is the number of letters that a sentence is worth; `is_marked` says that the page's code calls it so,
    `is_question` that it is a few lines with answers below: then one word of what consent is asked for is enough.
    """
    touched = list(map(topics_of, prose or buttons))
    topics = set[str]().union(*touched, *(topics_of(label) & _IN_HEADINGS for label in buttons))
    actions = set[str]().union(*map(_actions_of, buttons))
    whole = sum(map(weight, prose))
    if is_question and whole <= _SHORT and not _serves_a_text(buttons):
        is_titled = whole <= _LITTLE and not topics.isdisjoint(_IN_HEADINGS)
        if is_marked or is_titled or ((topics or _has_other_words(prose)) and any(map(_speaks_to_reader, prose))):
            return True
    if 2 * sum(map(is_told, prose)) > len(prose):
        return False
    if whole <= 2 * _SHORT and _offers_to_pay(prose, buttons, topics):
        return True
    unlike = [sentence for sentence, found in zip(prose, touched, strict=False) if not found]
    if whole <= _SHORT:
        unlike = [
            sentence
            for sentence in unlike
            if not _actions_of(sentence) & _ANSWERS
            and not any(label in sentence for label in buttons if len(label) > 1)
        ]
    other = sum(map(weight, unlike))
    is_strong = len(topics) >= _STRONG and len(actions) > 1
    if other >= (max(_LITTLE, whole // 4) if is_strong else min(_LITTLE, 2 * whole // 5 + 1)):
        return False
    # A text about consent touches it now and then; an index of many entries has a banner too.
    is_text = len(prose) > _SENTENCES and sum(map(len, touched)) < 1.5 * len(prose)
    if is_text or _lists_something_else(buttons, weight, whole):
        return False
    speaks = any(map(_ADDRESS_PATTERN.search, prose))
    if whole <= _SHORT and "cookies" in topics and 4 * other <= whole:
        return bool(actions) or any(map(_GO_ON.match, buttons)) or (len(topics) > 1 and speaks)
    if is_marked and topics and actions:
        return True
    is_dense = max(map(len, touched), default=0) >= _STRONG
    is_answered = bool(actions & _ANSWERS) or (bool(actions) and any(map(_COUNT.search, prose)))
    return is_answered and len(topics) > 1 and (is_dense or speaks)


def _serves_a_text(buttons: Sequence[str]) -> bool:
    """Return whether a button is there for a text: to save is also what one does with a choice."""
    tools = [label for label in buttons if _TOOLS.match(label)]
    accepts = any("accept" in _actions_of(label) for label in buttons)
    return bool(tools) and not (accepts and all(map(_SAVE.match, tools)))


def _offers_to_pay(prose: Sequence[str], buttons: Sequence[str], topics: set[str]) -> bool:
    """Return whether the choice is between advertisements and a price for each month."""
    answers = any("accept" in _actions_of(label) for label in buttons)
    asks = answers or any("accept" in _actions_of(sentence) and _speaks_to_reader(sentence) for sentence in prose)
    return asks and len(topics) > (not answers) and any(map(_PRICE.search, prose))


def _has_other_words(prose: Sequence[str]) -> bool:
    return any(map(_OTHER_WORDS.search, prose))


def _speaks_to_reader(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in (_QUESTION, _ADDRESS_PATTERN, _OTHER_FORMS))


def _actions_of(label: str) -> set[str]:
    found = {action for action, pattern in _ACTION_PATTERNS.items() if pattern.search(label)}
    return found | {"accept"} if _TOPIC_PATTERNS["consent"].search(label) else found


def _lists_something_else(buttons: Sequence[str], weight: Callable[[str], int], whole: int) -> bool:
    """Return whether most of the short lines are neither buttons of consent nor names of firms: a menu, an index."""
    patterns = (*_ACTION_PATTERNS.values(), *_TOPIC_PATTERNS.values(), _FIRMS)
    others = [label for label in buttons if not any(pattern.search(label) for pattern in patterns)]
    return 3 * len(others) > 2 * len(buttons) and sum(map(weight, others)) > max(_LISTED, whole)
