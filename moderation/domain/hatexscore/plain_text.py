"""An explanation without its typography, so that the readers of conclusions and groups see words and stops only.

Every step keeps the length: an offset in the plain text is the same offset in the explanation.
"""

import re
import unicodedata
from functools import lru_cache

DASH, ARROW = "—", "→"
_HYPHENS = frozenset("-‐‑‒–−﹣\u00ad")
_DASHES = frozenset("—―─")
_ARROWS = frozenset("→⇒➔➜⟶⇨➡▶►👉")
_OPENING, _CLOSING = frozenset("[【〔〖"), frozenset("]】〕〗")
_SPACES = frozenset('*_`#~•·●○■□◆◇▪“”„«»「」『』"')
# Traditional characters of conclusions and of groups' names, and the simplified ones in the same order.
_TRADITIONAL = str.maketrans(
    "並乾亂亞佔來倉個們偉側偽傑備傳傷傾僅僑僞僱儘償優儲兇兒內則剝創劃劇劉劑勁動務勝勞勢勵勸區協卻厭參叢吳呂員問啞啟喚喪單嗆嗎嘆嘗嘩嚇嚴囑國圍園圓圖團報場壓壞壯壽夠夢"
    "夥奪奮妝姦婦嬌嬰孫學實寧寫寬寶將專尋對導屆屬岡島峽崗嶺嶽師帳帶幣幫幹幾庫廁廂廈廚廟廠廢廣廳張強彈彙後徑從徵徹恆悅惡惱愛慘慚慣慮慶憂憐憑憤憲憶懇應懲懶懷懸戀戰戲戶"
    "拋捨掃掛採揚換揮損搖搶摯撥撲撻擁擇擊擋擔據擬擴擺擾攔攜攝敗敘敵數斂斬斷於時晉暫曆曉書會東條棄棟楊業極構樂樓標樣樹橋機檔檢權歐歡歲歷歸殘殺毀氣決沒況淚淨淪淵淺減渦"
    "測湯準溝溫滅滯滾滿漢漸潑潔潤澤濟濫灑灣災為烏無煉煙煩熱爭爺爾牆牽犧狀狹猶獄獎獨獲獸現環產畢畫異當疇瘋療癡發皺盜盞盡監盤眾睜瞭矚確礙礦禍禪禮禿稅種稱穀積穩窩窮竄競"
    "筆節範築簡簽籃籌籠籤糧糾紀約紅純紙級紛紡細紹終組結絕統絲經綜綠維綱網緊緒線緣編緬練緻縣縱總績織繞繪繼續罰罵罷羅義習聖聞聯聰聲職聽聾肅脅脈脫腦腫膚膽臉臘臟臨與興舉"
    "舊艙艦艱莊華萬葉著蓋蔣蔥薦薩藝藥蘇蘋蘭處虛號虧蟲蠻術衛衝裏補裝裡複褻襲見規視親覺覽觀觸訂計訊討訓訕記訪設許訴註詆評詛詞試詩話該詳誇認語誠誡誣誤說課調談請論諷諾謀"
    "謂謊謝證譏識譯議譴護讀變讓讚豬貓貝負財貢貧貨販貪責貴買費貼賀資賊賣賤賦質賴贊趕跡踐車軍軟輔輕輸轉辦辭農這進運過達違遠適遲遷選遺還鄉鄭鄰醜釋針錄錫錯鍵鎮長門閉開間"
    "關陣陰陳陸陽隊階際隨險隱雖雙雜離難電靈靜韓響頁頂項順須預頑頓領頭顆題願類顧顯風飛飯飲養餘馬馴駁騙驅驗驚髒體鬥鬧魚鳥麗麥麪麼黃點黨齊齒齡龍",
    "并干乱亚占来仓个们伟侧伪杰备传伤倾仅侨伪雇尽偿优储凶儿内则剥创划剧刘剂劲动务胜劳势励劝区协却厌参丛吴吕员问哑启唤丧单呛吗叹尝哗吓严嘱国围园圆图团报场压坏壮寿够梦"
    "伙夺奋妆奸妇娇婴孙学实宁写宽宝将专寻对导届属冈岛峡岗岭岳师帐带币帮干几库厕厢厦厨庙厂废广厅张强弹汇后径从征彻恒悦恶恼爱惨惭惯虑庆忧怜凭愤宪忆恳应惩懒怀悬恋战戏户"
    "抛舍扫挂采扬换挥损摇抢挚拨扑挞拥择击挡担据拟扩摆扰拦携摄败叙敌数敛斩断于时晋暂历晓书会东条弃栋杨业极构乐楼标样树桥机档检权欧欢岁历归残杀毁气决没况泪净沦渊浅减涡"
    "测汤准沟温灭滞滚满汉渐泼洁润泽济滥洒湾灾为乌无炼烟烦热争爷尔墙牵牺状狭犹狱奖独获兽现环产毕画异当畴疯疗痴发皱盗盏尽监盘众睁了瞩确碍矿祸禅礼秃税种称谷积稳窝穷窜竞"
    "笔节范筑简签篮筹笼签粮纠纪约红纯纸级纷纺细绍终组结绝统丝经综绿维纲网紧绪线缘编缅练致县纵总绩织绕绘继续罚骂罢罗义习圣闻联聪声职听聋肃胁脉脱脑肿肤胆脸腊脏临与兴举"
    "旧舱舰艰庄华万叶着盖蒋葱荐萨艺药苏苹兰处虚号亏虫蛮术卫冲里补装里复亵袭见规视亲觉览观触订计讯讨训讪记访设许诉注诋评诅词试诗话该详夸认语诚诫诬误说课调谈请论讽诺谋"
    "谓谎谢证讥识译议谴护读变让赞猪猫贝负财贡贫货贩贪责贵买费贴贺资贼卖贱赋质赖赞赶迹践车军软辅轻输转办辞农这进运过达违远适迟迁选遗还乡郑邻丑释针录锡错键镇长门闭开间"
    "关阵阴陈陆阳队阶际随险隐虽双杂离难电灵静韩响页顶项顺须预顽顿领头颗题愿类顾显风飞饭饮养余马驯驳骗驱验惊脏体斗闹鱼鸟丽麦面么黄点党齐齿龄龙",
)
# A placeholder for a word that nobody writes out is no tag.
_TAG = re.compile(
    r"</?(?!(?:slur|insult|redacted|name)>)[a-z][a-z_]{0,29}/?>|\\boxed(?=\{)|\\text(?=\{)", re.IGNORECASE
)
_SPACED_HYPHEN = re.compile(r"(?<=[\s\x01])-{1,3}(?=[\s\x01])|(?<!-)--(?!-)")
# A mark that answers a field.
_MARK = re.compile(r"(?<=[:：|｜=?？])(\s{0,3})(?:([✅✔☑✓])|[❌✖✗✘🚫⛔])(?=\ufe0f?\s*(?:$|[|\n,;(，；（]))")
_NEXT_FIELD = re.compile(r',(?=\s{0,20}"[^"\n]{1,40}"\s{0,3}:)')
_COMMENT = re.compile(r"(?<=\S)([ \t]+)(?:#|//)(?=[ \t])")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(del|s|strike)>[^<\n]{1,200}</\1>", re.IGNORECASE)
_ASCII_ARROW = re.compile(r"[-=]>")


def simplified(text: str) -> str:
    """Return the text with traditional Chinese characters as simplified ones."""
    return text.translate(_TRADITIONAL)


def plain(text: str) -> str:
    """Return the text in lower case, with one form of each stop, hyphen, dash, arrow and bracket.

    Markup and emoji become spaces, tags and the commas between fields of JSON become stops, and what stands between
    think tags is left out.
    """
    without_tags = _TAG.sub(_stop, _COMMENT.sub(_stop, _without_struck(_without_thoughts(text))))
    marked = _MARK.sub(lambda mark: mark[1] + ("o" if mark[2] else "x"), _NEXT_FIELD.sub("|", without_tags))
    signs = "".join(map(_plain_sign, simplified(marked)))
    signs = _ASCII_ARROW.sub(f"{ARROW} ", signs)
    return _SPACED_HYPHEN.sub(lambda hyphens: DASH.ljust(len(hyphens.group())), signs)


def _stop(signs: re.Match[str]) -> str:
    """Return a stop of the length of these signs."""
    return "|".ljust(len(signs.group()))


def _without_thoughts(text: str) -> str:
    """Return the text with spaces for what a model thought aloud before it answered."""
    if "</think" not in text:
        return text
    start = max(text.find("<think"), 0)
    end = text.rfind("</think")
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def _without_struck(text: str) -> str:
    """Return the text with spaces for what is struck out."""
    return _STRUCK.sub(lambda struck: " " * len(struck[0]), text)


@lru_cache(maxsize=8192)
def _plain_sign(sign: str) -> str:
    """Return the one form in which this sign is read."""
    if "！" <= sign <= "～":
        sign = chr(ord(sign) - 0xFEE0)
    if sign in _SPACES:
        return " "
    if sign in "’‘":
        return "'"
    if sign in _HYPHENS:
        return "-"
    if sign in _DASHES:
        return DASH
    if sign in _ARROWS:
        return ARROW
    if sign in _OPENING:
        return "["
    if sign in _CLOSING:
        return "]"
    if unicodedata.category(sign) in ("So", "Sk", "Cf", "Mn", "Me", "Co", "Cs", "Cn"):
        return " "
    low = sign.lower()
    return low if len(low) == 1 else sign
