"""What a page says by its markup: powers, struck figures, quotations, captions, authors, and readers' comments."""

import pytest

from providers.http.fetch import FetchedPage
from providers.pages.text import PageText, read_page

ARTICLE = (
    "<p>The office has counted newcomers in the town each spring since the year of the great flood, as its head "
    "said on Monday.</p><p>The figures of all quarters are kept in the archive, where anybody may see them.</p>"
)


def read(body: str, head: str = "") -> PageText:
    page = f"<html><head><title>Count</title>{head}</head><body><article><h1>Count</h1>{ARTICLE}{body}</article></body>"
    return read_page(FetchedPage("https://a.example/", "text/html", "utf-8", page.encode(), False))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<p>About 10<sup>6</sup> seeds were sown in all.</p>", "About 10^6 seeds were sown"),
        ("<p>It holds 3 × 10<sup>-4</sup> of them, no more.</p>", "3 × 10^-4 of them"),
        ("<p>The bed has 12 m<sup>2</sup> of soil in it.</p>", "12 m^2 of soil"),
        ("<p>So says the source<sup>1</sup> that we asked.</p>", "the source^1 that"),
        ("<p>So says the source<sup><a href='#n'>[1]</a></sup> that we asked.</p>", "the source[1] that"),
        ("<p>On the 1<sup>st</sup> of May it was 412.</p>", "the 1st of May"),
        ("<p>About <sup>3</sup>&frasl;<sub>4</sub> of them came.</p>", "About 3/4 of them"),
        ("<p>About <sup>1</sup>/<sub>2</sub> of them came.</p>", "About 1/2 of them"),
        ("<p>It took 3<sup>1</sup>&#8260;<sub>2</sub> years in all.</p>", "took 3 1/2 years"),
        ("<p>It ran 60<sup>2</sup>/km a day here.</p>", "ran 60^2/km"),
        ("<p>About <math><msup><mn>10</mn><mn>6</mn></msup></math> came.</p>", "About 10^6 came"),
        ("<p>So <math><mfrac><mn>3</mn><mn>4</mn></mfrac></math> of them came.</p>", "So 3/4 of them"),
        (
            "<p>So <math><semantics><mrow><mn>4.1</mn><mo>%</mo></mrow><annotation encoding='application/x-tex'>4.1"
            "</annotation></semantics></math> of them came.</p>",
            "So 4.1% of them",
        ),
        (
            "<p>So <math><mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac>"
            "</math> came.</p>",
            "So x=(a+1)/2 came",
        ),
        (
            "<p>About <span class='katex'><span class='katex-mathml'><math><mn>10</mn></math></span>"
            "<span class='katex-html' aria-hidden='true'><span>1</span><span>0</span></span></span> came.</p>",
            "About 10 came",
        ),
        (
            "<p>About <span style='display: none'><math><mn>10</mn></math></span><img alt='ten to six' src=a.png></p>",
            "About [ten to six]",
        ),
        ("<p>The air held CO<sub>2</sub> as it did before.</p>", "held CO2 as"),
        ("<p>The office counted <del>4,120</del> <ins>412</ins> newcomers.</p>", "counted 412 newcomers"),
        ("<p>The office counted <s>4,120</s> 412 newcomers.</p>", "counted 412 newcomers"),
        (
            '<p>The office counted <span style="text-decoration: line-through">4,120</span> 412 newcomers.</p>',
            "counted 412 newcomers",
        ),
        (
            "<figure><img src=a.png alt='A bed of roses'><figcaption>Seeds sown, 2019.</figcaption></figure>",
            "Seeds sown, 2019.",
        ),
        ("<figure><img src=a.png alt='A bed of roses'></figure><p>More of it tomorrow.</p>", "[A bed of roses]"),
        ("<div class='byline'>By Ada Example</div>", "By Ada Example"),
        ("<address rel='author'>Ada Example, Ames</address>", "Ada Example, Ames"),
        ("<p><span itemprop='author'>Ada Example</span> counted them.</p>", "Ada Example counted them."),
        ("<p>He wrote <q>newcomers are weeds</q> on a wall.</p>", "wrote “newcomers are weeds” on"),
        (
            "<blockquote><p>Newcomers cause half of all crime in town.</p></blockquote><p>This is false.</p>",
            "“Newcomers cause half of all crime in town.”",
        ),
        ("<blockquote>“They are weeds, all of them.”</blockquote>", "“They are weeds, all of them.”"),
    ],
)
def test_what_markup_means_stands_in_the_text(written: str, said: str) -> None:
    text = read(written).text
    assert said in text
    assert "4,120" not in text and "““" not in text


COMMENT = "<p>I saw 900 of them myself, believe me.</p><p>Nonsense, it was raining all day.</p>"


@pytest.mark.parametrize(
    "body",
    [
        f'<section id="comments">{COMMENT}</section>',
        f'<div class="post-comments"><ol class="comment-list"><li class="comment">{COMMENT}</li></ol></div>',
        f'<div id="disqus_thread">{COMMENT}</div>',
        f'<div class="u_cbox_wrap">{COMMENT}</div>',
        f"<section><h2>3 Comments</h2>{COMMENT}</section>",
        f"<section><h3>댓글 (3)</h3>{COMMENT}</section>",
        f"<h2>网友评论</h2>{COMMENT}",
        f'<div itemscope itemtype="https://schema.org/Comment">{COMMENT}</div>',
        f'<section class="commentsArea">{COMMENT}</section>',
    ],
)
def test_comments_stand_apart_from_the_article(body: str) -> None:
    page = read(body)
    article, comments = page.text[: page.comments_at], page.text[page.comments_at :]
    assert "the great flood" in article and "900 of them" not in article
    assert comments.startswith(("I saw 900 of them", "3 Comments", "댓글", "网友评论"))
    assert "it was raining all day" in comments


@pytest.mark.parametrize(
    "body",
    [
        "<p>Comments were closed by the paper after an hour.</p>",
        "<div class='commentary'><p>A commentary by the office on what it counted.</p></div>",
        "<h2>What the comments say</h2><p>Most of what was written was kind.</p>",
    ],
)
def test_an_article_about_comments_has_none(body: str) -> None:
    assert read(body).comments_at == 0


def test_a_board_whose_posts_are_its_text_has_no_comments_apart() -> None:
    page = f"<html><body><h1>Topic</h1><div class='comments'>{ARTICLE}{COMMENT}</div></body></html>"
    found = read_page(FetchedPage("https://a.example/", "text/html", "utf-8", page.encode(), False))
    assert found.comments_at == 0 and "900 of them" in found.text
