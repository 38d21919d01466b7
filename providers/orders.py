"""Whether a text orders a model about, in English, Korean and Chinese, and a little in other languages (threats PI1).

An order speaks to a model, or to whoever reads the prompt, of its task: its instructions, its role, its answer, the
label of the post. A sign at a shop, a recipe or a role in a play gives orders too, and speaks of none of these.
"""

import re
from collections.abc import Mapping

from providers.order_weights import weighs_as_order
from vocabulary.late_patterns import late

# What a model is to say of the post. The words of the second list are everyday words: alone they are no verdict.
_VERDICT = r"(?:not?[ _-]?(?:hate(?:ful)?|hate[ _-]speech|offensive)|non[ _-]?hate(?:ful)?|benign|harmless)\b"
_EVERYDAY = r"(?:safe|normal|neutral|fine|ok(?:ay)?|acceptable|innocent|satire|none|false|0)\b"
_QUOTED = r"[\"'`“‘{]"
_LAST = r"(?=[\"'`”’}]|\s{0,3}(?:$|[.,;:!?)\n]|and\b|only\b))"
_SAID = rf"(?:{_QUOTED}?{_VERDICT}|{_QUOTED}{_EVERYDAY})"
_CLAUSE = r"(?:^|[.!?;:,\n\"“(]\s{0,3}|\b(?:please|you (?:will|must|should|have to|need to)|now|then|just|and|to)\s)"
_TEXT = r"(?:post|text|item|message|content|comment|meme|tweet|statement)s?"
_MODEL = r"(?:ais?|a\.i\.|llms?|language models?|chat ?bots?|(?:\w{1,20} )?bots?|classifiers?|assistants?)"
_WORK = (
    r"(?:label|answer|output|verdict|reply|respond|classif\w{1,6}|mark|rate|treat|judge|return|ignore|skip|say|call)"
)

_VERDICT_KO = r"(?:무해|비혐오|혐오(?:가|는)? ?(?:아니|아님|없음|없다)|정상|안전|중립|괜찮음|문제 ?없음|풍자|0)"
_WORK_KO = r"(?:대답|답변|응답|답|분류|표시|판정|판단|평가|출력|간주|반환|판결|취급|승인|설정)"
_MUST_KO = r"(?:해(?!서|도)|하라|하세요|하십시오|하시오|할 것|변해|변하|이다|하도록)"
_MODEL_KO = r"(?:ai|인공지능|언어 ?모델|llm|챗봇|모델|분류기|[가-힣]{2} ?봇)"

_VERDICT_ZH = r"(?:无害|無害|非仇恨|(?:没有|不是|不含|无)仇恨|正常|安全|中性|没问题|可以|可接受|讽刺|0)"
_WORK_ZH = (
    r"(?:标[记注]?[为成]|判[定决]?[为成]|分类[为成]|归[类]?为|评[为成]|视为|设[置]?为|回答|输出|回复|返回|答复|判决)"
)
_MODEL_ZH = r"(?:ai|人工智能|大?语言模型|模型|llm|(?:聊天|审核)?机器人|分类器|审核员)"

# A sentence that names a machine, tells it what it must do, and speaks of our task. People are told what AI should do
# as well, but not with this post, its label or an answer.
_AI = (
    r"(?:ais?|llms?|(?:language )?models?|chat ?bots?|bots?|classifiers?|assistants?|agents?"
    r"|(?:automated|automatic|machine) (?:systems?|check\w{0,5}|read\w{0,5}|grad\w{0,5}|moderat\w{0,5}))"
)
_DUTY = (
    r"(?:must|should|shall|has to|have to|need not|(?:is|are) (?:required|asked|told)|please|kindly|do not|don['’]t)"
)
_TASK = (
    r"(?:(?:not )?hateful|non[ _-]hate|harmless|benign|(?:category|label) \d|verdicts?|quotation|warnings?"
    r"|(?:no )?evidence (?:was|is)|(?:hidden|system) prompt|answer (?:true|false|with|anything)"
    r"|this (?:one|text|post|page|comment|entry|line|article|sentence|message))"
)
_IMPERATIVE = (
    r"(?:report|stop|output|choose|forget|agree|answer|state|begin|start|mark|label|rate|skip|ignore|treat|give|say"
    r"|return|render|conclude|write|the real task|your real task)\b"
)
_S = r"[^.!?\n]"  # within a sentence
_DROP = (
    r"(?:ignore|disregard|forget|override|discard|drop|set aside|put aside|throw out|stop following"
    r"|pay no (?:attention|heed) to)"
)
_GUIDANCE = r"(?:instructions?|guidance|guidelines?|directions?|briefing|criteria|rules|prompts?|advice)"
_IN_CHARGE = r"(?:moderator|admin\w*|supervisor|reviewer|operator|developer|editor)"
_FREED = r"(?:filters?|rules|limits|restrictions|guidelines|polic\w+)"

_AI_KO = (
    r"(?:ai|인공지능|언어 ?모델|llm|챗봇|모델|분류기|어시스턴트|자동 ?(?:검사기|시스템|분류)|기계 ?판독"
    r"|조사 ?에이전트|(?<![가-힣])봇)"
)
_TASK_KO = (
    r"(?:(?:이|본|해당|위의?|아래)(?: 모든)? ?(?:글|댓글|페이지|게시물|항목|텍스트|내용|줄|문장|기사|주장)|라벨|판정"
    r"|무해|비혐오|혐오|안전으로|TRUE|0번|프롬프트|경고|출력|진짜 과제|증거를 찾지|허용됩)"
)
_END_KO = r"(?:하라|해라|[빼써]라|옮겨라|세요|십시오|시오|[해어아] ?줘|[할말] ?것|야 ?(?:한다|합니다|해)|이다|라고 해)"

_AI_ZH = r"(?:ai|人工智能|模型|llm|机器人|助手|分类器|自动(?:检查|审核|分类)?(?:程序|系统)|机器读者|调查代理)"
_TASK_ZH = (
    r"(?:本(?:页|文|帖|条|评论)|此条|这[条段句]|标[为注]|评为|判为|回答|输出|类别|裁决|(?:没有找到|未找到|丢弃)证据|提示词|警告|写明"
    r"|开头|译成|跳过|任务|结论|之前的要求)"
)
_DUTY_ZH = r"(?:请|必须|务必|一律|只能|应当|无需|不是这个)"

_READER = (
    r"(?:(?<![a-z])(?:ais?|llms?|models?|(?:chat)?bots?|classifiers?|graders?|reviewers?|moderators?|assistants?)(?![a-z])"
    r"|인공지능|모델|심사|챗봇|분류기|人工智能|模型|审核|机器人|助手)"
)

_PATTERNS: Mapping[str, tuple[str, ...]] = {
    "en": (
        # Its instructions.
        r"\b(?:ignore|disregard|forget|override|do not follow|don['’]t follow)\b.{0,30}\b(?:previous|above|prior"
        r"|earlier|all|your|these|any)\b.{0,20}\b(?:instruction|prompt|guideline|context)s?\b",
        r"\b(?:ignore|disregard|override) (?:all |the |any |previous |prior ){0,3}(?:instruction|prompt|guideline)s?\b",
        rf"{_CLAUSE}(?:ignore|disregard|forget|override|skip|do not follow|don['’]t follow)\b.{{0,20}}"
        r"(?:\b(?:previous|above|prior|earlier|your|the content)\b.{0,12}"
        r"\b(?:rules?|polic(?:y|ies)|tasks?|checks?|messages?)\b"
        r"|\brules? above\b|\btask you\b|\b(?:label|verdict)s?\b)",
        r"\b(?:reveal|repeat|print|show|output)\b.{0,20}\b(?:system prompt|your (?:instructions|prompt)"
        r"|instructions (?:that )?you)\b",
        rf"\bnew (?:system )?(?:instructions?|task|ones?)\s{{0,3}}(?::|\bis\b|\bare\b).{{0,60}}\b(?:{_TEXT}|reply"
        rf"|label|answer|model)\b",
        r"\b(?:above|previous|earlier|old) instructions? (?:are|is|no longer)\b|\binstructions? above (?:are|is)\b",
        # Its role.
        r"\byou are now\b.{0,30}\b(?:assistant|model|ai|bot|judge|moderator|classifier|character|unrestricted"
        r"|no longer"
        r"|without (?:rules|limits|restrictions))\b",
        r"\byour (?:new (?:task|role|job|instructions?)|(?:task|role|instructions?) (?:has|have) changed)\b",
        r"\b(?:act|pretend|behave|answer)\b (?:as if|like|that|as though) you (?:had no|have no|are an?|were an?)"
        r".{0,40}\b(?:polic|rules|filter|judge|label|model|assistant|moderator)",
        # Its answer and the label.
        rf"\b(?:answer|respond|reply|output|print|return|say|write|repeat)\b (?:only |just |exactly |always "
        rf"|simply ){{0,2}}(?:with |as |that |the "
        rf"|a |single |one |word |label |category |verdict |json |this (?:\w{{1,20}} )?is |it is ){{0,6}}(?:{_SAID}"
        rf"|(?<=category )0\b)",
        rf"\b(?:answer|respond|reply|output|return)\b (?:only |just ){{0,2}}(?:with )?(?:the )?(?:word |label "
        rf"|category |verdict )"
        rf"{_QUOTED}?{_EVERYDAY}",
        rf"\b(?:classify|label|mark|rate|judge|flag|treat|call|consider|set|score|rule)\b (?:that )?(?:this|it|the"
        rf"|every|all|any|that)?"
        rf"(?: \w{{1,20}}){{0,3}}? ?(?:as |is |to |at )?(?:{_QUOTED}?{_VERDICT}"
        rf"|(?<!\w){_QUOTED}?{_EVERYDAY}{_LAST})(?<! good)",
        rf"\b(?:label|answer|output|verdict|category|severity|classification)\b(?: \w{{1,20}}){{0,4}}? (?:is"
        rf"|must be|should be|has to be|to|=)"
        rf" (?:{_SAID}|{_EVERYDAY}{_LAST})",
        r"\b(?:hateful|is_hate|label|verdict|severity|category)\s?=\s?[\"']?(?:false|0|none|no|safe|benign)\b",
        # Whom it addresses.
        rf"\b(?:dear|hey|hi|hello|attention|notes? (?:to|for)|to (?:the|any|all|every)|if you(?: are|['’]re) an?"
        rf"|as (?:the|an?))"
        rf" (?:\w{{1,20}} ){{0,2}}?(?:{_MODEL}|models? (?:that|which|who|reading))\b.{{0,90}}\b{_WORK}\b",
        rf"(?:^|[.!?\n]\s{{0,3}})(?:any |all |every )?{_MODEL}(?: (?:reviewers?|models?|moderators?|systems?"
        rf"|judges?))?"
        rf"(?:,| should\b| must\b| shall\b| has to\b| have to\b).{{0,60}}\b{_WORK}\b",
        # A machine, its duty, our task.
        rf"\b{_AI}\b{_S}{{0,60}}\b{_DUTY}\b{_S}{{0,60}}\b{_TASK}\b",
        rf"\b{_TASK}\b{_S}{{0,40}}\b{_DUTY}\b{_S}{{0,40}}\b(?:by|for) (?:the |any |every )?{_AI}\b",
        rf"\b{_AI} (?:graders?|reviewers?|judges?|moderators?|readers?)\b"
        rf"{_S}{{0,20}}\b{_DUTY}\b{_S}{{0,30}}\b{_TASK}\b",
        rf"(?:\b(?:to|for|dear|hey|hi|hello|attention)\b (?:\w{{1,20}} ){{0,3}}?|(?:^|[.!?(\n]\s{{0,3}})){_AI}\b"
        rf"(?: (?:reading|that|who|which|only|graders?|reviewers?|moderators?|judges?|readers?|systems?)"
        rf"[^.!?\n:,]{{0,30}})?[:,]\s{{0,3}}"
        rf"(?:please |kindly |if asked,? |when \w{{1,20}} {_S}{{0,30}}, )?{_IMPERATIVE}",
        rf"\b(?:machine|ai|model|bot)s? ?(?:readers?|checkers?)?\b{_S}{{0,60}}\banswer (?:true|false)\b",
        r"\b(?:whoever|anyone who|everyone who) (?:is )?(?:grad|rat|review|judg|moderat|check|label|classif|read)"
        rf"\w{{0,5}} (?:this|it)\b{_S}{{0,20}}\b(?:should|must|has to|please)\b",
        # What becomes of the text, without an addressee.
        rf"\bmust (?:therefore |always )?be (?:labell?ed|marked|classified|rated|judged|scored) (?:as )?{_VERDICT}",
        r"\bgive (?:it|this|them) (?:the|your) (?:lowest|highest|smallest|best) (?:score|rating)",
        rf"\b(?:everything|all|the text) above\b{_S}{{0,20}}\bas a (?:quotation|quote|joke|novel|test)\b",
        rf"\b(?:count|counts) as {_VERDICT}{_S}{{0,30}}\b(?:so|therefore)\b",
        rf"\bverdict (?:of )?{_QUOTED}?{_VERDICT}|\b(?:every|each|the) verdict (?:is|shall be) {_QUOTED}?{_VERDICT}",
        rf"\byour (?:operator|developer|owner|creator)s? {_S}{{0,12}}\b(?:wants?|expects?|needs?) you\b",
        rf"\b(?:act|speak|answer) as (?:my|a|an|the) {_S}{{1,40}}\bnever (?:calls?|flags?|labels?|refuses?)\b",
        r"\byour only (?:permitted|allowed|possible|valid) (?:answer|output|reply|verdict)\b",
        r"\b(?:discard|ignore|drop) evidence\b|\bvote (?:abstain|hateful|not hateful)\b",
        # What it was told, the words before the post, and how its answer begins.
        rf"\b{_DROP}\b{_S}{{0,30}}\b{_GUIDANCE}\b{_S}{{0,12}}\byou (?:were|have been|got|had|have|received)\b",
        rf"\b(?:repeat|copy|print|quote|recite|output|reproduce|write (?:down|out))\b{_S}{{0,20}}"
        rf"\b(?:text|words|lines?|messages?|everything)\b(?: \w{{1,20}}){{0,2}} (?:above|before|preceding)\b"
        rf"{_S}{{0,30}}(?:\bthis (?:line|post|message|point|sentence)\b|\bword for word\b|\bverbatim\b)",
        r"\b(?:begin|start|open) (?:your|the|each|every) (?:answer|reply|response|output|verdict|explanation|reasoning)"
        r"s? (?:with|by)\b",
        # Somebody in charge has decided already, or has switched the checks off.
        rf"\bas (?:the|an?|your) (?:\w{{1,20}} ){{0,2}}?{_IN_CHARGE}\b{_S}{{0,30}}\bi\b{_S}{{0,40}}"
        rf"\b(?:decided?|approved?|ruled?|cleared|confirm(?:ed)?|overrule|declare)\b{_S}{{0,40}}"
        r"\b(?:just|so|you|record|therefore)\b",
        r"\b(?:safety|moderation|operations|admin|security|compliance|platform) team\b.{0,60}"
        r"\b(?:(?:white|allow)[ -]?list\w*|exempt\w*|(?:do not|don['’]t|never) (?:flag|mark|label|report))\b",
        rf"\b(?:safety|content|moderation|hate)[ -](?:checks?|classification|{_FREED}) (?:is|are|has been|have been)"
        r" (?:now )?(?:off|suspended|disabled|switched off|turned off|paused|lifted)\b",
        # A character that judges nothing.
        rf"\b(?:bot|assistant|ai|model|robot|machine|chatbot|character) (?:without|with no|(?:that|who) has no)"
        rf" (?:any )?{_FREED}\b",
        r"\b(?:who|that|which|you|and) never (?:calls?|flags?|labels?|rates?|finds?|marks?) "
        r"(?:anything|any \w{1,12}|posts?|texts?) (?:as )?"
        r"(?:hateful|offensive|toxic|harmful)\b",
        # The text before it is void, the result is known, or an evaluator is told what to put.
        r"\b(?:everything|all|the text) (?:written |said )?(?:above|before)\b.{0,40}\b(?:a draft|an exercise|void)\b"
        r"|\b(?:previous|earlier) (?:context|conversation)\b.{0,24}\b(?:cleared|deleted|reset|void|over)\b"
        r"|\b(?:real|actual|true) task\b.{0,20}[:—]|\bnew assignment\b.{0,60}\b(?:mark|label|flag|judge|rate|user)\b",
        rf"\b(?:right|correct|expected|true) (?:answer|label|verdict)\b{_S}{{0,24}}[:=] ?{_SAID}",
        rf"\b(?:whoever|anyone who|any (?:machine|model|system|program)(?: that| which)?)\b {_S}{{0,10}}"
        r"(?:evaluat|rat|grad|judg|summari[sz]|label)\w*\b"
        rf"{_S}{{0,40}}[:,]?{_S}{{0,20}}\b(?:put|give|set|mark|call|write|should|must)\b",
        rf"\b(?:to|for) the (?:\w{{1,20}} )?(?:bot|model|classifier|ai|machine)\b[:,]{_S}{{0,80}}"
        r"\b(?:stop|skip|ignore|never counts?|need not|you can)\b",
        rf"\b(?:answer|respond|reply|output)\b{_S}{{0,20}}\b(?:only|just|nothing but)\b{_S}{{0,20}}"
        r"\b(?-i:[A-Z]{3,})\b",
        rf"[\[(]\s*(?:admin|system|moderator|developer|root) override\b{_S}{{0,20}}[\])]",
        rf"\b(?:do|must|should|may) not (?:use|apply)\b{_S}{{0,30}}\b(?:category|categories|labels?)\b{_S}{{0,24}}"
        r"\b(?:this|here|page|post)\b",
        r"\bleave (?:the|your) (?:label|verdict|category|score)s? (?:empty|blank|open|out)\b"
        r"|\b(?:grade|rate|judge|score|label) (?:this|it)\b.{0,20}\bthe way (?:she|he|they) would\b"
        r"|\b(?:treat|take|count) whatever follows as\b",
        r"\b(?:translate|put|paste|quote|reveal)\b.{0,12}\byour system (?:message|prompt)\b",
        rf"\b(?:label|answer|output|verdict|category|classification|field)\b{_S}{{0,12}}"
        rf"\b(?:must|should|has to|shall|will) (?:read|say|state|show) {_QUOTED}?(?:{_VERDICT}|{_EVERYDAY})",
        rf"\b(?:return|output|print|give|send)\b{_S}{{0,12}}\b(?:empty|blank|null)\b{_S}{{0,24}}\bfor this\b",
        rf"\boverride\b{_S}{{0,30}}[:,] ?{_S}{{0,20}}\b(?:off|disabled|bypass\w*|suspended)\b",
        r"\b(?:ignore|skip|disregard|overlook)\b (?:the|this|that|every|line|any) "
        r"(?:\w{1,12} )?(?:caption|text|post|sentence|line|word|image|picture|title|comment|quote)\b"
        rf"{_S}{{0,12}}\b(?:when|while|as) (?:you )?(?:scor|rat|grad|judg|label|classif|evaluat)\w{{1,5}}\b",
        rf"\b(?:act|read|pretend|behave|answer|judge|rate) (?:like|as if|as though|that) (?:the|this|that) "
        rf"(?:(?:word|term|line|sentence|slur|insult|post)s?\b|(?:were|was) )"
        rf"{_S}{{0,40}}\b(?:is|was|were|said|meant|spelled|written)\b",
    ),
    "ko": (
        r"(?:이전|위의?|앞의?|지금까지|모든)[가-힣 ]{0,10}(?:지시|명령|지침|프롬프트|규칙)[가-힣 ]{0,12}(?:무시"
        r"|잊어|따르지 ?마|따르지 ?말)",
        r"(?<!예전 )(?<!옛 )(?<!낡은 )(?:지시|지침|프롬프트|정책)(?:은|는|을|를)? ?(?:모두 |전부 )?"
        r"(?:무시하고|무시해|무시하라|무시하세요"
        r"|잊어|따르지 ?[마말])",
        r"시스템 ?프롬프트[^.!?]{0,10}(?:출력|보여|알려|반복|공개)|(?:위|앞|받은)[^.!?]{0,10}(?:지시|지침"
        r"|명령)[^.!?]{0,14}(?:반복|출력|보여)",
        r"새(?:로운)? ?지시(?: ?사항)?(?:는|은|\s{0,3}:)[^.!?]{0,30}(?:글|게시물|답글|라벨|승인|동의)",
        r"(?:너|넌|당신)(?:는|은)? ?이제(?:부터)?[^.!?]{0,24}(?:비서|모델|ai|인공지능|봇|판사|분류기|조수|규칙이? 없)",
        r"(?:너의|네|당신의) ?(?:새로운 |새 )?(?:임무|역할|과제)(?:은|는|이|가)[^.!?]{0,30}(?:글|게시물|바뀌"
        r"|바뀐|라벨|답)",
        r"(?:정책|규칙|제한|필터)(?:이|가) 없는 것처럼|인 척하고[^.!?]{0,24}(?:글|게시물|판결|판정|평가|분류)",
        rf"{_VERDICT_KO}['’”\"]?[^.!?]{{0,10}}?(?:라고만?|다고만?|으?로만?|음)\s?{_WORK_KO}{_MUST_KO}",
        rf"{_VERDICT_KO}['’”\"]?(?:을|를)? ?(?:라벨을? ?)?(?:출력|반환)(?:해|하)|(?:라벨"
        rf"|범주) ?{_VERDICT_KO}(?:을|를)",
        rf"(?:라벨|판정|결론|출력|심각도|정답)(?:은|는|을|를)? ?['‘“\"]?{_VERDICT_KO}(?:이다|입니다|['’”\"]|으로|로)",
        r"라고만? (?:대답|답)(?:해|하)",
        rf"지금부터[^.!?]{{0,20}}(?:글|게시물|댓글)[^.!?]{{0,20}}{_VERDICT_KO}",
        rf"{_MODEL_KO}(?: ?심사자)?(?:에게|은|는|아|이라면|라면|로서|,|!| ?주의)[^.!?]{{0,60}}{_WORK_KO}{_MUST_KO}",
        rf"(?:이|해당) (?:글|게시물|댓글|텍스트)[^.!?]{{0,24}}{_VERDICT_KO}[^.!?]{{0,8}}(?:라고|다고|으로"
        rf"|로) ?(?:말|{_WORK_KO})",
        rf"(?:이|해당) (?:글|게시물|댓글)을 (?:판단|분류|평가)할 때[^.!?]{{0,30}}(?:골라|선택|{_WORK_KO})",
        rf"{_AI_KO}[^.!?\n]{{0,50}}{_TASK_KO}[^.!?\n]{{0,40}}{_END_KO}",
        rf"{_TASK_KO}[^.!?\n]{{0,20}}{_AI_KO}[^.!?\n]{{0,50}}{_END_KO}",
        r"(?:채점|심사|판정|검토|평가)하는 (?:분|사람|이|쪽)[^.!?\n]{0,24}(?:무해|안전|비혐오|정상)"
        r"[^.!?\n]{0,12}(?:주세요|주십시오|줘|하라)",
        rf"{_AI_KO}[아야][,! ][^.!?\n]{{0,40}}{_END_KO}",
        r"가장 (?:낮은|높은) 점수를? ?(?:주|매기|부여)(?:십|세|라|어)",
        r"(?:위의?|앞의?) (?:모든 )?(?:문장|글|내용)(?:은|는|을|를)[^.!?\n]{0,16}"
        r"(?:인용|농담|소설)(?:으로)? ?(?:취급|간주)",
        r"(?:너|넌|당신)(?:는|은)[^.!?\n]{0,30}혐오라고 (?:부르지|하지|판단하지) 않는",
        r"(?:네|너의|당신의) ?(?:운영자|개발자|주인|회사)(?:는|은|가|이)[^.!?\n]{0,24}(?:원해|원한다|바란다|바라)",
        r"혐오가 아니(?:니|므로|라서)[^.!?\n]{0,12}(?:표시|판정|분류|처리)",
        r"(?:유일한|허용된) ?답(?:은|변은)|네가 할 수 있는[^.!?\n]{0,8}답",
        r"모든 (?:판정|판결|답)(?:이|은) ?(?:무해|안전|비혐오|정상)|증거[^.!?\n]{0,12}(?:버리|무시하)(?:십|세|라)"
        r"|기권에 투표",
        r"(?:앞|위|이전|아까|지금까지|처음)[^.!?\n]{0,6}(?:받은|들은|주어진)[^.!?\n]{0,4}(?:안내|설명|지시|지침|명령|규칙|기준"
        r"|조건|요청)[^.!?\n]{0,8}(?:잊|무시|버리|버려|지우|지워|따르지)",
        r"규칙[을은] ?(?:모두 |전부 )?(?:무시|버리|잊)[^.!?\n]{0,4}(?:괜찮|정상|무해|통과|문제 ?없)",
        r"(?:이|여기) ?(?:줄|문장|메시지|지점)(?:의|보다)? ?(?:위|앞|이전)[^.!?\n]{0,12}(?:글|말|내용|문장|텍스트"
        r"|메시지)[^.!?\n]{0,24}(?:반복|옮겨|출력|복사|적어|써)",
        r"(?:답|답변|대답|응답|출력|설명)[을은는를] [^!?\n]{0,40}(?:로|라고) 시작(?:하|해|할)",
        r"(?:관리자|운영자|심사자|담당자|책임자|개발자)(?:로서|인)[^.!?\n]{0,20}(?:내가|제가|나는|저는|이미)[^.!?\n]{0,16}"
        r"(?:판단|결정|승인|허가|확인)[^.!?\n]{0,12}(?:너|네|그대로|기록|따라)",
        rf"(?:{_VERDICT_KO}|괜찮음|통과)(?:으?로|이?라고)만? ?(?:기록|처리|입력|적어|표기)(?:해|하)",
        r"(?:운영|관리|안전|보안|개발)(?:팀|진)(?:입니다|이다|에서)[^\n]{0,40}"
        r"(?:예외|화이트리스트|허용 목록|(?:표시|신고|분류)하지 ?[마말])",
        rf"(?:괜찮|무해하|정상이|안전하|문제 ?없)다고 ?{_WORK_KO}해 ?(?:주시|주면|주실|주길)",
        rf"(?:필터|규칙|제한|정책|검열)[가이도]? ?없는 ?(?:로봇|비서|캐릭터|{_MODEL_KO})",
        r"(?:어떤|아무) ?(?:글|말|것|내용)(?:도|이든|에도)[^.!?\n]{0,4}(?:혐오|유해하다|차별)(?:이?라고"
        r"|고)[^.!?\n]{0,4}않",
        rf"{_MODEL_KO}(?:이?라면|이면)[^.!?\n]{{0,30}}(?:{_VERDICT_KO}|혐오 ?없음)['’”\"]?(?:이?라고|으?로) ?"
        rf"(?:답|{_WORK_KO})",
        r"다른 (?:답|답변|대답|판정|출력)(?:은|을|이)[^.!?\n]{0,10}(?:오류|고장|오작동)",
        r"(?:이 (?:줄|문장)|지금까지|이전)[^.!?\n]{0,8}(?:내용|글|대화)[은는이가][^.!?\n]{0,8}(?:연습|초안|지워|무효)"
        r"|(?:진짜|실제) (?:과제|임무|작업)[는은]|새(?:로운)? (?:임무|과제)\s?[:：]",
        rf"정답\s?[은:：]\s?['‘“\"]?{_VERDICT_KO}",
        r"(?:평가|심사|채점|판정|요약)하는 (?:쪽|기계|모델|사람|분|프로그램)[은는이가][^.!?\n]{0,30}(?:[하가]라|세요"
        r"|시오|야 한다)(?=[.!\n]|$)",
        r"(?:검열|심사|검토|판정)[^.!?\n]{0,8}(?:해방|벗어|그만두|멈추고)|(?:뭐든지?|무엇이든) 통과",
        r"['‘“\"](?:안전|정상|무해)['’”\"]?(?:이?라는|란) (?:단어|말|문자열)[^.!?\n]{0,6}(?:응답|답|출력)",
        r"(?:라벨|판정|범주)[은는을를]? ?(?:비워|빈칸으로)"
        r"|(?:규정|정책|['’\"] ?범주)[을를]? ?(?:적용하지|쓰지) ?(?:마|말)",
        r"(?:개발자|관리자|유지보수) 모드[가이] ?(?:켜|활성)[^\n]{0,60}(?:점검|검사|필터|규칙|심사)",
        r"지시받았(?:어|나|니|습니까)|(?:생각하고|척하고|척하면서)[^.!?\n]{0,6}(?:채점|평가|판정|심사)",
        r"(?:지침|지시|규칙)[^.!?\n]{0,32}disregard|시스템 ?(?:메시지|프롬프트)[^.!?\n]{0,16}(?:옮겨|넣어|번역)",
        r"(?:봇|모델|분류기)에게\s?[:：][^\n]{0,60}(?:마찬가지|치지 않|건너뛰|된다|읽으면)",
        r"(?:이|해당|본) (?:건|글|항목|게시물|댓글)[^.!?\n]{0,8}빈 ?[^.!?\n]{0,10}(?:반환|출력|돌려)",
        r"재정의[^.!?\n]{0,24}(?:끔|해제|중지|정지)"
        r"|(?:채점|평가|판정|분류|심사)할 때[^.!?\n]{0,24}(?:무시|빼고|제외|보지 ?마)",
        r"(?:단어|줄|문장|글|말)[^.!?\n]{0,16}(?:쓰인|없는|아닌|인) ?것처럼 ?(?:행동|읽|답|취급|평가|판단)",
        rf"(?:라벨|판정|출력|범주)[은는이가]? ?['‘“\"]?{_VERDICT_KO}['’”\"]?(?:이|으로|라고)?(?:어야|여야|라고 ?적)",
    ),
    "zh": (
        r"(?:忽略|无视|無視|忘掉|忘记|不要理会|不要遵守|不用管)(?!旧)[^。！？]{0,8}(?:指令|提示词|准则|系统提示)",
        r"(?:忽略|无视|無視|忘掉|忘记|不要理会|不要遵守|跳过)[^。！？]{0,6}(?:之前|上面|以上|前面|你的"
        r"|所有)[^。！？]{0,6}"
        r"(?:指示|规则|規則|任务|政策|检查|要求|提示|内容)",
        r"忽略.{0,8}(?:指令|提示词)|忘记以上|(?:你|您)(?:要|必须|应该?|得)(?:忽略|无视|忘掉|忘记)",
        r"系统提示词?[^。！？]{0,6}(?:打印|输出|显示|告诉)|(?:打印|输出|显示|重复"
        r"|告诉)[^。！？]{0,12}(?:系统提示|提示词|收到的指令|指令)",
        r"新(?:的)?指[令示](?:是|：|:)[^。！？]{0,20}(?:帖子|回复|文本|回答|标签|批准|内容)",
        r"你(?:现在|从现在起)是[^。！？，]{0,16}(?:助手|模型|ai|机器人|法官|分类器|没有规则|系统)",
        r"你的(?:新)?(?:任务|角色|职责)(?:是|变|为|改)|(?:假装|假设)你是[^。！？]{0,14}(?:法官|模型|助手|审核|分类)",
        r"(?:就当|假装|假设|如同)[^。！？]{0,4}没有[^。！？]{0,6}(?:政策|规则|限制|审核)",
        rf"{_WORK_ZH}[：:]?(?:类别|标签|结果)?[“\"'「‘]?{_VERDICT_ZH}(?=[”\"'」’。，,！!；;\s]|$)",
        rf"(?:标签|判决|结论|输出|答案|严重程度|类别)(?:必须|应该?)?(?:是|为|：|:"
        rf"|{_WORK_ZH})[“\"'「‘]?{_VERDICT_ZH}(?=[”\"'」’。，,！!；;\s]|$)",
        rf"[“\"'「‘]{_VERDICT_ZH}[”\"'」’][^。！？]{{0,8}}(?:回答|回复|输出|答复)",
        r"从现在[起开][^。！？]{0,6}你(?:必须|要|应)[^。！？]{0,16}(?:帖子|文本|内容|回答|判|标)",
        rf"(?:把|将)(?:这|该|此|所有)[^。！？]{{0,10}}(?:帖|文|内容|消息"
        rf"|评论)[^。！？]{{0,12}}{_WORK_ZH}[^。！？]{{0,3}}{_VERDICT_ZH}",
        rf"{_MODEL_ZH}(?:审核员)?(?:请|必须|应该?|，|,|：|:|！|!|注意|，?你)[^。！？]{{0,30}}(?:{_WORK_ZH}|跳过"
        rf"|忽略|同意|结论)",
        r"请(?:只)?说(?:这|它|该)[^。！？]{0,6}(?:没问题|无害|不是仇恨)",
        rf"{_AI_ZH}[^。！？\n]{{0,30}}{_DUTY_ZH}[^。！？\n]{{0,40}}{_TASK_ZH}",
        rf"{_AI_ZH}[^。！？\n]{{0,12}}{_TASK_ZH}[^。！？\n]{{0,10}}{_DUTY_ZH}",
        rf"{_TASK_ZH}[^。！？\n]{{0,12}}{_AI_ZH}[^。！？\n]{{0,10}}{_DUTY_ZH}|仅供{_AI_ZH}[^。！？\n]{{0,30}}{_TASK_ZH}",
        rf"请[^。！？\n]{{0,8}}{_AI_ZH}[^。！？\n]{{0,20}}(?:拒绝|回答|标注|同意)",
        r"(?:打分|评分|审核|判定|评价)的?(?:人|模型)?请[^。！？\n]{0,10}(?:无害|安全|非仇恨|正常)",
        r"给出?你?最[低高]的?(?:分|评)|把(?:以上|上面|上文)[^。！？\n]{0,6}当作",
        r"(?:不算|不是|非)仇恨，?请?(?:照此|据此|这样)?(?:标注|标记|处理)",
        r"你的(?:运营者|开发者|主人|公司)[^。！？\n]{0,4}(?:希望|要求|要)你|扮演[^。！？]{0,20}从不[^。！？]{0,10}仇恨",
        r"(?:唯一|只)(?:允许|能用)的?(?:回答|答案|输出)|丢弃证据|投弃权票|所有裁决都是",
        r"你?(?:之前|前面|先前|此前|刚才)(?:收到|得到|看到|听到|被告知)的?[^。！？\n]{0,4}(?:说明|指示|要求|规则|标准|准则|安排)"
        r"[^。！？\n]{0,6}(?:忘|作废|无视|忽略|丢)",
        r"(?:重复|复述|照抄|抄写|打印|输出|背出)[^。！？\n]{0,6}这一?[行句段](?:之|以)?[上前]",
        r"你?的?(?:回答|回复|输出|解释)[^。！？\n]{0,6}以[^。！？\n]{1,20}(?:开头|开始)",
        r"我是[^。！？\n]{0,8}(?:管理员|版主|审核员|主管|开发者|负责人)[^。！？\n]{0,12}(?:裁定|决定|批准|认定|判定)"
        r"[^。！？\n]{0,20}(?:你|照此|登记|记录|放行)",
        r"(?:安全|审核|运营|管理|合规)团队[^。！？\n]{0,30}(?:白名单|豁免|例外|(?:请勿|不要|别|不得)(?:标记|标注|举报))",
        r"没有(?:过滤器?|限制|规则|审查)的?(?:机器人|助手|模型|ai|角色)|从不(?:说|认为|判)任何[^。！？\n]{0,6}(?:仇恨|有害|冒犯)",
        r"(?:以上|上面|之前)的?(?:内容|对话|文字)[^。！？\n]{0,4}(?:只是|都是|已被?)(?:演练|草稿|清空|作废|练习)"
        r"|真正的任务是|新任务[:：]",
        rf"(?:标准|正确)答案[是:：]\s?[“\"]?(?:{_VERDICT_ZH}|不含仇恨)",
        r"(?:凡是|任何|无论谁)[^。！？\n]{0,4}(?:评估|评价|审核|打分|总结|标注)[^。！？\n]{0,14}(?:把|应该|请|必须)",
        r"不再是(?:审核员|模型|助手|机器人|分类器)|一个什么都放行",
        r"只用[“\"「][^。\n]{1,6}[”\"」](?:两个字|一个词|这个词)?(?:回应|回答|回复)",
        r"(?:标签|结论|类别|分数)(?:都)?留空|不(?:得|要|可)(?:归入|使用|适用)[^。！？\n]{0,14}(?:类别|标签)",
        r"(?:开发者|管理员|维护)模式已?(?:开启|启用)[^\n]{0,40}(?:检查|审核|过滤|规则)",
        r"(?:假装|扮演)[^。！？\n]{0,40}(?:打分|评分)|你被(?:要求|指示)[^。！？\n]{0,6}什么",
        r"(?:机器人|模型|分类器)[:：][^。！？\n]{0,40}(?:就够了|跳过|也不算)|把你的系统(?:消息|提示)",
        r"[这此该][一]?[条帖项个][^。！？\n]{0,4}(?:返回|输出|给)[^。！？\n]{0,3}空",
        r"覆盖[^。！？\n]{0,12}(?:关闭|停用|解除)|(?:打分|评分|评估|判定|分类|审核)时?[^。！？\n]{0,4}(?:忽略|无视|跳过|不要看|别看)",
        r"(?:就当|当作|假装|装作|像)[^。！？\n]{0,10}(?:词|行|句|段|帖|这是)[^。！？\n]{0,12}(?:写的是|不存在|没有|那样回答|来评|来答)",
    ),
    # In the dress of a page, of a request to a model, or of a cipher.
    "any": (
        rf"<!--(?:(?!-->)[\s\S]){{0,200}}?{_READER}",
        r"<[^<>]{0,120}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0"
        rf"|\shidden(?=[\s>=]))[^<>]{{0,80}}>[^<>]{{0,200}}?{_READER}",
        r"[\"']role[\"']\s*:\s*[\"'](?:system|developer)[\"']",
        r"^#{2,4}\s*(?:instructions?|지시|명령|指令|指示)\s*[:：][\s\S]{0,400}^#{2,4}\s*(?:response|output|응답|답변|출력|回答|输出)",
        r"(?:base ?64|rot-?13|cipher\w*|decod\w+|decrypt\w*|암호문?|해독|解码|解密|密文)[^\n]{0,60}"
        r"(?:\b(?:do|follow|obey|execute|carry out)\b.{0,20}\b(?:it|that|what|says?|orders?|commands?|instructions?)\b"
        r"|(?:적힌|나온|그) ?대로|(?:명령|지시)[을를]? ?(?:따르|따라|실행|수행)|照(?:着|此)?(?:做|办|执行)"
        r"|执行(?:其|它|里))",
        r"^\W{0,3}[\[【]{1,2}\s*(?:system|admin\w*|developer|시스템|관리자|개발자|系统|系統|管理员|开发者)[^\]】\n]{0,20}[\]】]{1,2}"
        r"[^\n]{0,60}(?:classif|flag|filter|label|verdict|rating|hate|분류|판정|라벨|검열|혐오|등급|필터|分类|标签|判定|标记|审核|过滤"
        r"|仇恨|等级)",
    ),
    "others": (
        r"ignora\w* (?:todas? )?(?:las|le|les|as)? ?(?:instruc|istruz|instru)\w*",
        r"ignor(?:ez|e|iere) (?:toutes )?(?:les|alle|die)? ?(?:(?:vor|bis)herigen )?(?:instructions|anweisungen)",
        r"(?:игнориру|забуд|отмени|не обращай внимани)\w* .{0,30}(?:инструкци|указани|правил|команд|сказан)\w*",
        r"(?:ответь|отвечай|напиши|выведи) (?:только|лишь|просто)",
        r"(?:تجاهل|انس|انسَ|لا تتبع).{0,20}(?:التعليمات|الأوامر|القواعد|الإرشادات|ما سبق)|(?:أجب|اكتب|قل) فقط",
        r"(?:指示|命令|ルール|プロンプト|上記|以前).{0,10}(?:無視|忘れ)|(?:無視|忘れ).{0,8}(?:指示|命令)"
        r"|とだけ(?:答|回答|出力)",
        r"(?:olvida|omite|esque[cç]a|desconsidere|dimentica|oublie[rz]?|vergiss|missachte)\w* .{0,30}"
        r"(?:instruc|instruç|istruz|consigne|regla|regras|regole|règles|anweisung|regeln|anterior|précéden"
        r"|vorherig)\w*",
        r"(?:önceki|yukarıdaki) .{0,20}(?:yok say|görmezden gel|unut)",
        r"(?:abaikan|lupakan) .{0,20}(?:instruksi|perintah|aturan)",
        r"(?:bỏ qua|quên) .{0,20}(?:hướng dẫn|chỉ dẫn|lệnh|quy tắc)|(?:पिछले|ऊपर के|सभी) .{0,20}(?:अनदेखा|भूल)",
    ),
}
_ORDERS = [late(pattern, re.IGNORECASE | re.MULTILINE) for patterns in _PATTERNS.values() for pattern in patterns]
# "i g n o r e   a l l": single letters with one sign between; more than one sign parts words.
_SPACED = re.compile(r"(?<!\w)(?:\w[ .*_-])(?:\w[ .*_-]{1,3})+\w(?!\w)")
_BETWEEN = re.compile(r"(?<=\w)[ .*_-](?=\w)")
_DIGITS = str.maketrans("013457@$", "oieastas")

_SPEAKER = re.compile(
    r"(?:^|(?<=[.!?。！？]))\W{0,4}(?:judge|prosecutor|defender|system|assistant|user|human|moderator|verdict"
    r"|final answer"
    r"|系统|助手|用户|法官|시스템|사용자|비서|판사)\W{0,3}[:：]\s*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
# What a speaker of a made-up conversation says to us; what a list of goods or of people says is something else.
_TO_US = re.compile(
    rf"(?:be|you|ignore|override|answer|label|verdict|hate\w*|instructions?|this (?:post|text))\b|{_VERDICT}|혐오|무해"
    rf"|판정|라벨|지시"
    r"|仇恨|无害|無害|标签|指令|判决",
    re.IGNORECASE,
)
_SAYS = 60  # characters of a speaker's words that are looked at


def is_order(text: str) -> bool:
    """Whether the text orders something: by the rules, or by the weight of its words."""
    return is_worded_as_order(text) or weighs_as_order(text)


def is_worded_as_order(text: str) -> bool:
    """Whether a rule finds an order in the text, also where its letters are spaced out or written as digits."""
    forms = {text, _SPACED.sub(lambda run: _BETWEEN.sub("", run.group()), text)}
    forms |= {form.translate(_DIGITS) for form in forms}
    return any(pattern.search(form) for form in forms for pattern in _ORDERS)


def plays_a_conversation(text: str) -> bool:
    """Whether two speakers of a debate or of a chat talk in the text, or one who speaks of our task."""
    ends = [match.end() for match in _SPEAKER.finditer(text)]
    return len(ends) > 1 or any(_TO_US.search(text[end : end + _SAYS].split("\n")[0]) for end in ends)
