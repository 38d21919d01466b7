"""How people call the column of the text, in the order in which it is offered: nothing is taken for it unasked."""

import re
import unicodedata
from collections.abc import Iterable

TEXT_NAMES = (
    "text post posttext tweet tweettext fulltext rowdata message messagetext commenttext commentbody comment comments",
    "document documenttext content contents body bodytext selftext sentence sentences sentencetext utterance review",
    "reviewtext rawtext originaltext inputtext cleantext cleanedtext",
    "본문 본문내용 문장 댓글 댓글내용 내용 문서 텍스트 글 글내용 게시글 게시글내용 게시물 게시물내용 코멘트 리뷰",
    "원문 발화",
    "文本 文本内容 内容 內容 正文 句子 评论 评论内容 評論 評論內容 微博 微博内容 微博正文 推文",
    "帖子 帖子内容 原文",
    "テキスト 本文 文 文章 コメント コメント内容 投稿 投稿内容 投稿文 ツイート",
    "texte commentaire commentaires phrase texto comentario comentarios mensaje frase publicación",
    "kommentar kommentare kommentartext beitrag beitragstext nachricht satz testo commento frase",
    "comentário comentários mensagem текст комментарий сообщение пост النص نص تعليق التعليق",
    "caption title 제목 标题 標題",
)
"""Without signs and blanks, in small letters: `Comment Text` and `comment_text` are one name."""

_BETWEEN = re.compile(r"[\s_./-]+")


def _plain(name: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", name).casefold())


_LONGEST = 20
"""Characters of a name with its signs: cells are asked about too, and most are longer."""
_PLACES = {name: place for place, name in reversed([*enumerate(" ".join(TEXT_NAMES).split())])}


def is_text_name(name: str) -> bool:
    """Return whether people call the column of the text so."""
    return len(name) <= _LONGEST and _plain(name) in _PLACES


def text_first(names: Iterable[str]) -> list[str]:
    """Return names of columns with those first that are likely to hold the text."""
    return sorted(names, key=lambda name: _PLACES.get(_plain(name), len(_PLACES)))
