"""A Go template as a tree: texts, actions, and blocks with their branches."""

from __future__ import annotations

from kcheck.syntax.go_rendering import Tag

_OPENS = ("if", "range", "with", "define", "block")
_DEEPEST = 40
_MOST = 20_000


class Text:
    __slots__ = ("start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start


class Branch:
    """What stands behind a tag up to the next one of its block."""

    __slots__ = ("inner", "rest", "tag")

    def __init__(self, tag: Tag, rest: str) -> None:
        self.tag = tag
        #: The condition, or what is gone through; "" for a plain ``else``.
        self.rest = rest
        self.inner: list[Node] = []


class Block:
    """``if``, ``range`` and their like, up to their ``end``."""

    __slots__ = ("branches", "end", "word")

    def __init__(self, word: str, branch: Branch) -> None:
        self.word = word
        self.branches = [branch]
        self.end: Tag | None = None


def tree(template: str) -> list[Node] | None:
    """The nodes of a template; None where it does not end well."""
    top: list[Node] = []
    open_: list[Block] = []
    at = 0
    for _ in range(_MOST):
        inner = open_[-1].branches[-1].inner if open_ else top
        start = template.find("{{", at)
        if start < 0:
            inner.append(Text(template[at:], at))
            return top if not open_ else None
        if start > at:
            inner.append(Text(template[at:start], at))
        tag = Tag(template, start)
        if not tag.end:
            return None
        at = tag.end
        word, _, rest = tag.content.partition(" ")
        if word in _OPENS:
            block = Block(word, Branch(tag, rest.strip()))
            inner.append(block)
            open_.append(block)
            if len(open_) > _DEEPEST:
                return None
        elif word == "end":
            if not open_:
                return None
            open_.pop().end = tag
        elif word == "else" and open_:
            open_[-1].branches.append(Branch(tag, rest.strip()))
        else:
            inner.append(tag)
    return None


TYPE_CHECKING = False
if TYPE_CHECKING:
    Node = Text | Tag | Block
