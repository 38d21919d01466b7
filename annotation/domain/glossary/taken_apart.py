"""Chinese characters that writers take apart: 弓虽 is 强, 木几 is 机. The parts are characters by themselves.

The table lists common characters whose left and right part, or upper and lower part, can be typed. Radicals are typed
as the characters that they come from: 氵 as 水, 亻 as 人, 讠 as 言.
"""

from collections.abc import Iterator
from itertools import islice, product

_LISTED = (
    "强弓虽 机木几 吗口马 和禾口 权木又 取耳又 树木对 村木寸 材木才 松木公 柏木白 桂木圭 桥木乔 校木交 "
    "根木艮 格木各 样木羊 桃木兆 桌卜早 棋木其 棉木帛 枝木支 杯木不 板木反 析木斤 枪木仓 相木目 柜木巨 "
    "朴木卜 杆木干 如女口 奶女乃 姐女且 妹女未 姑女古 始女台 娘女良 婚女昏 奴女又 妖女夭 姨女夷 嫂女叟 "
    "媳女息 妇女彐 娃女圭 妃女己 姚女兆 姜羊女 昨日乍 晚日免 暗日音 晴日青 映日央 星日生 晶日日日 唱口昌 "
    "吃口乞 叫口丩 听口斤 吹口欠 吐口土 叶口十 叮口丁 叨口刀 吵口少 吧口巴 呢口尼 呀口牙 味口未 呼口乎 "
    "咱口自 哈口合 哄口共 喝口曷 嘴口觜 唯口隹 哪口那 嘛口麻 品口口口 哭口口犬 骂口口马 胖月半 肚月土 "
    "肝月干 胆月旦 胜月生 肥月巴 脏月庄 期其月 朝十日十月 脱月兑 脚月却 腿月退 你人尔 付人寸 仙人山 "
    "休人木 位人立 作人乍 伙人火 仁人二 代人弋 件人牛 任人壬 俄人我 俗人谷 保人呆 俩人两 倭人委 倡人昌 "
    "做人故 偷人俞 儒人需 活水舌 渣水查 湖水胡 滚水衮 泪水目 浪水良 酒水酉 洞水同 汁水十 泡水包 治水台 "
    "打手丁 扣手口 找手戈 抢手仓 把手巴 拍手白 拉手立 拐手另 指手旨 挂手圭 拾手合 推手隹 搞手高 操手喿 "
    "投手殳 扔手乃 情心青 快心夬 怕心白 恨心艮 忙心亡 悟心吾 惊心京 愧心鬼 怪心圣 忘亡心 想相心 怒奴心 "
    "忍刃心 愁秋心 息自心 说言兑 话言舌 讲言井 计言十 记言己 评言平 诗言寺 该言亥 请言青 谈言炎 谁言隹 "
    "谎言荒 认言人 让言上 证言正 识言只 诉言斥 语言吾 诈言乍 钱金戋 铁金失 铜金同 银金艮 针金十 钉金丁 "
    "钟金中 锅金呙 铃金令 镇金真 钻金占 钓金勺 炒火少 灯火丁 烂火兰 烧火尧 炮火包 烤火考 炸火乍 烦火页 "
    "灶火土 地土也 坏土不 块土夬 城土成 堆土隹 坟土文 址土止 坑土亢 坡土皮 垃土立 圾土及 玩王元 现王见 "
    "球王求 理王里 玛王马 珠王朱 环王不 琴王王今 皇白王 种禾中 秋禾火 秒禾少 私禾厶 程禾呈 税禾兑 利禾刀 "
    "季禾子 秃禾几 委禾女 粉米分 粗米且 糖米唐 粪米共 精米青 糟米曹 类米大 红丝工 级丝及 绿丝录 纸丝氏 "
    "线丝戋 给丝合 约丝勺 纪丝己 纯丝屯 细丝田 组丝且 结丝吉 绝丝色 饭食反 饱食包 饿食我 馆食官 饼食并 "
    "狗犬句 猫犬苗 猪犬者 狼犬良 狠犬艮 猴犬侯 狂犬王 独犬虫 狱犬言犬 蛇虫它 蚊虫文 虾虫下 蚁虫义 蝗虫皇 "
    "蛆虫且 虹虫工 难又隹 鸡又鸟 欢又欠 对又寸 戏又戈 观又见 邓又耳 盗次皿 盆分皿 盐土卜皿 杂九木 草艹早 "
    "动云力 劝又力 努奴力 劣少力 岁山夕 崩山朋 峰山夆 尖小大 昊日天 吴口天 杏木口 呆口木 孙子小 张弓长 "
    "弹弓单 章立早 童立里 站立占 靖立青 战占戈 划戈刀 我手戈 国囗玉 国口玉 因口大 囚口人 困口木 固口古 "
    "园口元 破石皮 砍石欠 砖石专 砸石匝 碎石卒 眼目艮 睡目垂 瞎目害 盲亡目 眯目米 神示申 社示土 祖示且 "
    "视示见 福示畐 祸示呙 路足各 跑足包 跟足艮 跳足兆 踢足易 蹲足尊 邦丰耳 阴耳月 阳耳日 阿耳可 队耳人 "
    "防耳方 院耳完 除耳余 新亲斤 断米斤 所户斤 斯其斤 剁朵刀 刚冈刀 别另刀 到至刀 判半刀 副畐刀 政正攵 "
    "教孝攵 放方攵 敌舌攵 数娄攵 效交攵 鲜鱼羊 鸭甲鸟 鹅我鸟 鸣口鸟 轮车仑 转车专 输车俞 辆车两 软车欠 "
    "贱贝戋 财贝才 贩贝反 败贝攵 购贝勾 赌贝者 贼贝戎 驴马户 骗马扁 骑马奇 驱马区 孩子亥 孤子瓜 死歹匕 "
    "残歹戋 殖歹直 幼幺力 躺身尚 射身寸 躲身朵 翻番羽 群君羊 美羊大 羔羊灬 翔羊羽 配酉己 醉酉卒 酷酉告 "
    "毙比死 毕比十 牲牛生 物牛勿 牧牛攵 剩乘刀 武止戈 步止少 肯止月 外夕卜 裤衣库 袖衣由 被衣皮 初衣刀 "
    "越走戊 蚂虫马 蟑虫章 螂虫郎 蜂虫夆 蛙虫圭 蜗虫呙 蜘虫知 蛛虫朱 蚯虫丘 蚓虫引 螺虫累 蝶虫枼 蝴虫胡 蝎虫歇 蚕天虫 "
    "蟹解虫 鸦牙鸟 鸽合鸟 鹰广鸟 鸠九鸟 鲤鱼里 鲨沙鱼 鳄鱼咢"
)
"""A character and its parts. Parts that often meet, as 女子 for 好 and 人也 for 他, are not listed."""
_ALSO = {
    "人": "亻",
    "水": "氵",
    "手": "扌",
    "心": "忄",
    "言": "讠",
    "金": "钅",
    "丝": "纟",
    "食": "饣",
    "犬": "犭",
    "衣": "衤",
}
"""The radical itself can be typed too."""
_MOST = 12


def _table() -> dict[str, tuple[str, ...]]:
    parts: dict[str, list[str]] = {}
    for entry in _LISTED.split():
        forms = [entry[1:], _ALSO[entry[1]] + entry[2:]] if entry[1] in _ALSO else [entry[1:]]
        parts.setdefault(entry[0], []).extend(forms)
    return {char: tuple(dict.fromkeys(forms)) for char, forms in parts.items()}


_PARTS = _table()


def taken_apart(term: str) -> Iterator[str]:
    """Yield a Chinese term of several characters with one or more of them taken apart, up to 12 forms."""
    if len(term) > 1:
        every = product(*((char, *_PARTS.get(char, ())) for char in term))
        yield from islice(("".join(chars) for chars in every), 1, _MOST)
