"""HTML pages taken apart by html.parser, so that what a browser would run or fetch shows."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = ("meta", "br", "hr", "img", "input", "link")


class Page(HTMLParser):
    """`tags` are (name, attributes) in order; `texts` the text of each element with class "text"; `anchors` all ids."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.anchors: list[str] = []
        self.shown = ""
        self.open: list[str] = []
        self.inside = 0
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"an attribute of <{tag}> stands twice"
        self.tags.append((tag, attributes))
        if attributes.get("id"):
            self.anchors.append(attributes["id"] or "")
        if tag not in VOID:
            self.open.append(tag)
        if self.inside:
            self.inside += 1
        elif "text" in (attributes.get("class") or "").split():
            self.inside = 1
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"
        if self.inside:
            self.inside -= 1

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown += data
        if self.inside:
            self.texts[-1] += data


ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "nav",
        "a",
        "h1",
        "bdi",
        "dl",
        "dt",
        "dd",
        "p",
        "details",
    ),
    *("summary", "div", "main", "article", "b", "i", "time", "span", "code", "footer", "ol", "li"),
}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "id", "class", "href", "dir", "datetime", "open"}


def inert(source: str, links: set[str]) -> Page:
    """The page, after it was seen that it runs nothing, fetches nothing and leads nowhere but to `links` and its own rows."""
    page = Page(source)
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= ALLOWED
    for tag, attributes in page.tags:
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        href = attributes.get("href")
        assert href is None or (href.startswith("#") and href[1:] in page.anchors) or href in links, href
    assert len(page.anchors) == len(set(page.anchors))
    policies = [
        a["content"] for tag, a in page.tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    style = source[source.index("<style>") : source.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    return page
