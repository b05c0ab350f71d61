"""``for`` expressions of HCL over what is known."""

from __future__ import annotations

from itertools import islice

from kcheck.syntax.hcl_values import Held, Object, Scalar, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from kcheck.syntax.hcl_scope import Scope

#: So many members of a collection are gone through.
_MOST_MEMBERS = 5_000


def for_of(scope: Scope, node: Node) -> Value:
    kind = node.named_children[0]
    intro = next((c for c in kind.named_children if c.type == "for_intro"), None)
    condition = next((c for c in kind.named_children if c.type == "for_cond"), None)
    results = [c for c in kind.named_children if c.type == "expression"]
    if intro is None or any(c.type == "ellipsis" for c in kind.named_children):
        return None
    made: list[Value] = []
    found: Object = []
    for turn in _turns(scope, intro, condition):
        if turn is None:
            return None
        if kind.type == "for_tuple_expr" and len(results) == 1:
            made.append(turn.value(results[0]))
        elif len(results) == 2:
            key = turn.value(results[0])
            if not isinstance(key, Scalar):
                return None
            value = turn.value(results[1])
            at = scope.file.position(results[1])
            found.append(Held(key.text, key.at, value, at, key.path))
    return tuple(made) if kind.type == "for_tuple_expr" else found


def _turns(scope: Scope, intro: Node, condition: Node | None) -> list[Scope | None]:
    """The scopes of a ``for``, one for each member; [None] where not all is known."""
    names = [scope.file.text(c) for c in intro.named_children if c.type == "identifier"]
    held = [c for c in intro.named_children if c.type == "expression"]
    members = entries(scope, scope.value(held[0])) if held else None
    if members is None or not scope.file.spend(len(members)):
        return [None]
    turns: list[Scope | None] = []
    for key, value in islice(members, _MOST_MEMBERS):
        bound = {names[-1]: value} if len(names) == 1 else {names[0]: key, names[-1]: value}
        turn = scope.inside(bound)
        if condition is not None:
            parts = [c for c in condition.named_children if c.type == "expression"]
            kept = turn.value(parts[0]) if parts else None
            if not isinstance(kept, Scalar):
                return [None]
            if kept.text != "true":
                continue
        turns.append(turn)
    return turns


def entries(scope: Scope, value: Value) -> list[tuple[Scalar, Value]] | None:
    """The keys and values of a collection; None where it is unknown."""
    if isinstance(value, list):
        return [(Scalar(one.key, one.key_at, one.path), one.value) for one in value]
    if isinstance(value, tuple):
        places = [one.at if isinstance(one, Scalar) else (1, 1, 1, 1) for one in value]
        return [
            (Scalar(str(at), place, scope.file.path, made=True), one)
            for at, (one, place) in enumerate(zip(value, places, strict=True))
        ]
    return None
