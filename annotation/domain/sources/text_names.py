"""How people call the column of the text, in the order in which it is offered: nothing is taken for it unasked."""

from collections.abc import Iterable

TEXT_NAMES = (
    *(
        "text",
        "post",
        "post_text",
        "tweet",
        "tweet_text",
        "full_text",
        "row_data",
        "message",
        "comment_text",
        "comment",
        "comments",
    ),
    *("document", "content", "contents", "body", "sentence", "sentences", "utterance", "review", "caption", "title"),
    *("본문", "문장", "댓글", "내용", "문서", "텍스트", "글", "게시글", "코멘트", "리뷰"),
    *("文本", "内容", "內容", "正文", "句子", "评论", "評論", "微博", "推文", "标题"),
    *(
        "テキスト",
        "本文",
        "文",
        "コメント",
        "投稿",
        "texte",
        "commentaire",
        "texto",
        "comentario",
        "kommentar",
        "testo",
    ),
)
_PLACES = {name: place for place, name in enumerate(TEXT_NAMES)}


def is_text_name(name: str) -> bool:
    """Return whether people call the column of the text so."""
    return name.strip().casefold() in _PLACES


def text_first(names: Iterable[str]) -> list[str]:
    """Return names of columns with those first that are likely to hold the text."""
    return sorted(names, key=lambda name: (_PLACES.get(name.strip().casefold(), len(_PLACES)), name))
