"""Threads of boards in the layouts of well-known software: a question, and a reply that quotes it and then answers.

Drawn by hand from what the makers publish of their markup. Each layout has a long profile beside every post, as real
boards have: a finder of main texts takes it for a menu, and the reply with it.
"""
# ruff: noqa: E501 (markup is read best in its own lines)

from collections.abc import Callable

ASKED = "What does the word nettle-runner mean? I saw it on the board three times this week."
ANSWERED = "It is a rude name for the 412 people who came last year and work at the mill."
ADDED = "My aunt says it is older than the mill, and was first heard in 1987."
THANKED = "Thank you both, that helps me a lot."
QUESTION = {
    "en": (ASKED, ANSWERED, ADDED, THANKED),
    "ko": (
        "쐐기풀꾼이라는 말은 무슨 뜻인가요? 이번 주에 게시판에서 세 번 보았습니다.",
        "작년에 와서 방앗간에서 일하는 412명을 낮추어 부르는 말입니다.",
        "이모 말로는 방앗간보다 오래된 말이고 1987년에 처음 들었다고 합니다.",
        "두 분 모두 고맙습니다. 도움이 되었습니다.",
    ),
    "zh": (
        "荨麻客这个词是什么意思？这个星期我在论坛上见过三次。",
        "这是对去年来到磨坊工作的412个人的蔑称。",
        "我姑姑说这个词比磨坊还老，1987年就听说过了。",
        "谢谢两位，对我很有帮助。",
    ),
}
PEOPLE = ("ann", "bob", "cee", "dan")


def _page(title: str, body: str, lang: str) -> str:
    menu = "".join(f'<li><a href="/{n}">Board number {n} of the club</a></li>' for n in range(6))
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head><body>'
        f"<ul class=nav>{menu}</ul>{body}<div class=footer><a href=/p>Privacy of the club</a></div></body></html>"
    )


def _phpbb3(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = f"<blockquote><div><cite>{quoted[0]} wrote: ↑</cite>{quoted[1]}</div></blockquote>" if quoted else ""
    return (
        f'<div id="p{at}" class="post has-profile bg{at % 2 + 1}"><div class="inner"><dl class="postprofile"><dt>'
        f'<a href="/u" class="username">{who}</a></dt><dd class="profile-posts"><strong>Posts:</strong> 1{at}2</dd>'
        f'<dd class="profile-joined"><strong>Joined:</strong> Tue Mar 04, 2014 9:1{at} am</dd><dd>Location: the hills'
        f'</dd></dl><div class="postbody"><div id="post_content{at}"><h3><a href="#p{at}">Re: A word</a></h3>'
        f'<p class="author">by {who} » Mon May 1{at}, 2024</p><div class="content">{quote}{said}</div>'
        f'<div class="signature">Roses first.</div></div></div></div></div><hr class="divider">'
    )


def _phpbb2(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        f'</span><table width="90%" align="center"><tr><td><span class="genmed"><b>{quoted[0]} wrote:</b></span></td>'
        f'</tr><tr><td class="quote">{quoted[1]}</td></tr></table><span class="postbody"><br />'
        if quoted
        else ""
    )
    return (
        f'<tr><td width="150" class="row1" rowspan="2"><span class="name"><b>{who}</b></span><br /><span class='
        f'"postdetails">Joined: 0{at} Mar 2014<br />Posts: 1{at}2<br />Location: the hills</span></td><td class="row1">'
        f'<span class="postdetails">Posted: Mon May 1{at}, 2024</span><hr /><span class="postbody">{quote}{said}</span>'
        f'<span class="postbody"><br />_________________<br />Roses first.</span></td></tr><tr><td class=row1></td></tr>'
    )


def _vb3(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        '<div style="margin:20px; margin-top:5px;"><div class="smallfont">Quote:</div><table width="100%"><tr>'
        f'<td class="alt2" style="border:1px inset"><div>Originally Posted by <strong>{quoted[0]}</strong></div>'
        f'<div style="font-style:italic">{quoted[1]}</div></td></tr></table></div>'
        if quoted
        else ""
    )
    return (
        f'<table id="post{at}" class="tborder"><tr><td class="alt2" width="175"><a class="bigusername" href="/m">{who}'
        f'</a><div class="smallfont">Senior Member</div><div class="smallfont">Join Date: Mar 2014</div>'
        f'<div class="smallfont">Location: the hills</div><div class="smallfont">Posts: 1{at}2</div></td>'
        f'<td class="alt1" id="td_post_{at}"><div id="post_message_{at}">{quote}{said}</div></td></tr></table>'
    )


def _vb4(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class='
        f'"bbcode_postedby">Originally Posted by <strong>{quoted[0]}</strong></div><div class="message">{quoted[1]}'
        "</div></div></div></div>"
        if quoted
        else ""
    )
    return (
        f'<li class="postbitlegacy postbit postcontainer" id="post_{at}"><div class="posthead">1{at}-05-2024</div><div '
        f'class="postdetails"><div class="userinfo"><strong>{who}</strong><dl class="userinfo_extra"><dt>Join Date</dt>'
        f"<dd>Mar 2014</dd><dt>Location</dt><dd>the hills</dd><dt>Posts</dt><dd>1{at}2</dd></dl></div><div class="
        f'"postbody"><div class="postrow"><h2 class="title">A word</h2><div class="content"><div id="post_message_{at}">'
        f'<blockquote class="postcontent restore">{quote}{said}</blockquote></div></div></div></div></div></li>'
    )


def _vb5(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class='
        f'"bbcode_quote_container b-icon"></div><div class="bbcode_postedby">Originally posted by <strong>{quoted[0]}'
        f'</strong></div><div class="message">{quoted[1]}</div></div></div></div>'
        if quoted
        else ""
    )
    return (
        f'<li class="b-post js-post" data-node-id="{at}" itemscope itemtype="http://schema.org/Comment"><div class='
        f'"b-post__grid-container"><div class="b-userinfo"><div class="author">{who}</div><ul class='
        f'"b-userinfo__additional"><li>Join Date: Mar 2014</li><li>Posts: 1{at}2</li></ul></div><div class='
        f'"b-post__body"><div class="b-post__content js-post__content"><div class="js-post__content-text '
        f'restore h-wordwrap" itemprop="text">{quote}{said}</div></div></div></div></li>'
    )


def _xf1(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        f'<div class="bbCodeBlock bbCodeQuote" data-author="{quoted[0]}"><aside><div class="attribution type">'
        f'{quoted[0]} said: <a href="#">↑</a></div><blockquote class="quoteContainer"><div class="quote">{quoted[1]}'
        '</div><div class="quoteExpand">Click to expand...</div></blockquote></aside></div>'
        if quoted
        else ""
    )
    return (
        f'<li id="post-{at}" class="message" data-author="{who}"><div class="messageUserInfo"><h3 class="userText">'
        f'<a class="username">{who}</a></h3><div class="extraUserInfo"><dl class="pairsJustified"><dt>Joined:</dt><dd>'
        f"Mar 4, 2014</dd></dl><dl><dt>Messages:</dt><dd>1{at}2</dd></dl></div></div><div class='messageInfo primary'>"
        f'<div class="messageContent"><article><blockquote class="messageText SelectQuoteContainer ugc baseHtml">'
        f'{quote}{said}<div class="messageTextEndMarker">&nbsp;</div></blockquote></article></div></div></li>'
    )


def _xf2(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        '<blockquote class="bbCodeBlock bbCodeBlock--expandable bbCodeBlock--quote"><div class="bbCodeBlock-title"><a '
        f'class="bbCodeBlock-sourceJump">{quoted[0]} said:</a></div><div class="bbCodeBlock-content"><div class='
        f'"bbCodeBlock-expandContent">{quoted[1]}</div><div class="bbCodeBlock-expandLink"><a>Click to expand...</a>'
        "</div></div></blockquote>"
        if quoted
        else ""
    )
    return (
        f'<article class="message message--post" data-author="{who}" id="js-post-{at}"><div class="message-inner"><div '
        f'class="message-cell message-cell--user"><section class="message-user"><h4 class="message-name">{who}</h4>'
        f'<div class="message-userExtras"><dl class="pairs"><dt>Joined</dt><dd>Mar 4, 2014</dd></dl><dl class="pairs">'
        f'<dt>Messages</dt><dd>1{at}2</dd></dl></div></section></div><div class="message-cell message-cell--main"><div '
        f'class="message-userContent lbContainer"><article class="message-body js-selectToQuote"><div class="bbWrapper">'
        f"{quote}{said}</div></article></div></div></div></article>"
    )


def _discourse(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        f'<aside class="quote no-group" data-username="{quoted[0]}"><div class="title"><img alt="" width="24" src="/a">'
        f" {quoted[0]}:</div><blockquote><p>{quoted[1]}</p></blockquote></aside>"
        if quoted
        else ""
    )
    return (
        f'<div class="topic-post clearfix regular"><article id="post_{at}" class="boxed onscreen-post"><div class="row">'
        f'<div class="topic-avatar"></div><div class="topic-body"><div class="topic-meta-data"><span class='
        f'"first username"><a href="/u/{who}">{who}</a></span><span class="post-date">May 1{at}, 2024</span></div><div '
        f'class="regular contents"><div class="cooked">{quote}<p>{said}</p></div></div></div></div></article></div>'
    )


def _discourse_plain(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        f'<aside class="quote"><div class="title">{quoted[0]}:</div><blockquote>{quoted[1]}</blockquote></aside>'
        if quoted
        else ""
    )
    return (
        f'<div itemprop="comment" itemscope itemtype="http://schema.org/Comment" id="post_{at}" class="topic-body '
        f'crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author"><span itemprop="name">'
        f'{who}</span></span><time itemprop="datePublished" datetime="2024-05-1{at}">May 1{at}, 2024</time></div>'
        f'<div class="post" itemprop="text">{quote}<p>{said}</p></div></div>'
    )


def _smf(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        f'<div class="quoteheader"><div class="topslice_quote"><a href="#">Quote from: {quoted[0]} on May 14, 2024</a>'
        f'</div></div><blockquote class="bbc_standard_quote">{quoted[1]}</blockquote><div class="quotefooter"><div '
        'class="botslice_quote"></div></div>'
        if quoted
        else ""
    )
    return (
        f'<div class="windowbg"><div class="post_wrapper"><div class="poster"><h4><a href="/u">{who}</a></h4><ul id='
        f'"msg_{at}_extra_info"><li class="postgroup">Hero Member</li><li class="postcount">Posts: 1{at}2</li><li>'
        f'Location: the hills</li></ul></div><div class="postarea"><div class="keyinfo"><h5>Re: A word</h5></div><div '
        f'class="post"><div class="inner" id="msg_{at}">{quote}{said}</div></div></div><div class="moderatorbar"><div '
        f'class="signature" id="msg_{at}_signature">Roses first.</div></div></div></div>'
    )


def _naver(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = (
        '<div class="se-component se-quotation se-l-quotation_line"><div class="se-component-content"><div class='
        f'"se-section"><blockquote class="se-quotation-container"><div class="se-module se-module-text se-quote"><p '
        f'class="se-text-paragraph"><span class="se-fs-">{quoted[1]}</span></p></div></blockquote></div></div></div>'
        if quoted
        else ""
    )
    return (
        f'<div class="ArticleContentBox"><div class="article_header"><div class="WriterInfo"><div class="profile_info">'
        f'<button class="nickname">{who}</button><em class="nick_level">열심회원</em></div><div class="article_info">'
        f'<span class="date">2024.05.1{at}. 09:1{at}</span><span class="count">조회 41{at}</span></div></div></div><div '
        f'class="article_viewer"><div class="se-viewer se-theme-default"><div class="se-main-container">{quote}<div '
        f'class="se-component se-text"><div class="se-module se-module-text"><p class="se-text-paragraph"><span>{said}'
        "</span></p></div></div></div></div></div></div>"
    )


def _tieba(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = f"<fieldset><legend>引用 {quoted[0]}</legend>{quoted[1]}</fieldset><br>" if quoted else ""
    return (
        f'<div class="l_post l_post_bright j_l_post clearfix"><div class="d_author"><ul class="p_author"><li class='
        f'"d_name"><a class="p_author_name j_user_card">{who}</a></li><li class="l_badge"><a><div class="p_badge">'
        f'<div class="d_badge_title">初级粉丝</div><div class="d_badge_lv">{at}</div></div></a></li></ul></div><div '
        f'class="d_post_content_main"><div class="p_content"><cc><div class="d_post_content j_d_post_content clearfix">'
        f'{quote}{said}</div></cc></div><div class="core_reply j_lzl_wrapper"><div class="core_reply_tail"><span class='
        f'"tail-info">{at}楼</span><span class="tail-info">2024-05-1{at} 09:1{at}</span></div></div></div></div>'
    )


def _own(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    """A board that somebody wrote themselves: no names that are known, the reply loose beside the quotation."""
    quote = f"<blockquote><b>{quoted[0]}</b>: {quoted[1]}</blockquote>" if quoted else ""
    return (
        f'<div class="eintrag"><div class="links">{who}<br>Beiträge: 1{at}2<br>Dabei seit: März 2014<br>Ort: im Tal<br>'
        f'Rang: Gärtner</div><div class="rechts">{quote}{said}<br><i>zuletzt geändert am 1{at}.05.2024</i></div></div>'
    )


def _mail(who: str, quoted: tuple[str, str] | None, said: str, at: int) -> str:
    quote = f"On Monday {quoted[0]} wrote:\n&gt; {quoted[1]}\n\n" if quoted else ""
    return f"<hr><b>{who}</b> &lt;{who} at example&gt;<pre>{quote}{said}\n-- \nRoses first.</pre>"


Layout = Callable[[str, tuple[str, str] | None, str, int], str]
LAYOUTS: dict[str, tuple[Layout, str, str]] = {
    "phpBB 3": (_phpbb3, "en", '<div id="page-body">{}</div>'),
    "phpBB 2": (_phpbb2, "en", '<table class="forumline" width="100%">{}</table>'),
    "vBulletin 3": (_vb3, "en", '<div id="posts">{}</div>'),
    "vBulletin 4": (_vb4, "en", '<div id="postlist"><ol id="posts" class="posts">{}</ol></div>'),
    "vBulletin 5": (_vb5, "en", '<ul class="conversation-list list-container stream-view thread-view">{}</ul>'),
    "XenForo 1": (_xf1, "en", '<ol class="messageList" id="messageList">{}</ol>'),
    "XenForo 2": (_xf2, "en", '<div class="block-body js-replyNewMessageContainer">{}</div>'),
    "Discourse": (_discourse, "en", '<div class="post-stream">{}</div>'),
    "Discourse for crawlers": (_discourse_plain, "en", '<div id="topic-title"></div>{}'),
    "SMF": (_smf, "en", '<div id="forumposts">{}</div>'),
    "Naver": (_naver, "ko", '<div class="Article">{}</div>'),
    "Tieba": (_tieba, "zh", '<div class="p_postlist" id="j_p_postlist">{}</div>'),
    "a board of its own": (_own, "en", "<div>{}</div>"),
    "mails": (_mail, "en", "{}"),
}


def thread(name: str, *, posts: int = 4) -> tuple[str, tuple[str, ...], str]:
    """Return a page with a thread in this layout, what it says in this order, and its language."""
    layout, lang, holder = LAYOUTS[name]
    told = QUESTION[lang][:posts]
    quotes = (None, (PEOPLE[0], told[0]), (PEOPLE[1], told[1]) if posts > 1 else None, None)
    body = "".join(layout(PEOPLE[at], quotes[at], said, at) for at, said in enumerate(told))
    return _page("A word", holder.format(body), lang), told, lang
