"""JMESPath over rows: --query shapes each row, --where keeps the rows for which an expression is true.

An expression is wholly checked before the first row is read, functions and their arguments included.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from memcli.errors import UsageError


class Query(NamedTuple):
    """A checked expression; `parsed` is what jmespath made of it."""

    expression: str
    parsed: Any

    def shape(self, row: Any) -> Any:
        """What the expression makes of `row` (JSON values). Raises UsageError where it does not fit."""
        from jmespath.exceptions import JMESPathTypeError

        try:
            return self.parsed.search(row)
        except JMESPathTypeError as error:
            # its own text would repeat the whole value, which may be a chat of megabytes
            wanted = " or ".join(kind.replace("-", " of ") for kind in error.expected_types)
            reason = f"{error.function_name}() takes {wanted}, not {error.actual_type}"
        except RecursionError:
            reason = "it or the row is nested too deeply"
        except (ValueError, TypeError, ArithmeticError) as error:
            reason = str(error)
        name = row.get("type") if isinstance(row, dict) else None
        which = f"a row of type {name!r}" if name else "a row"
        raise UsageError(
            f"The JMESPath expression {_quoted(self.expression)} does not fit {which}: {reason}.",
            expression=self.expression,
        )

    def keeps(self, row: Any) -> bool:
        """Whether the expression is true of `row` by JMESPath: all but false, null, "", [] and {} is true."""
        value = self.shape(row)
        return bool(value) or (type(value) in (int, float))


def compiled(expression: str) -> Query:
    """The query for `expression`. Raises UsageError with the position (from 1) of what is wrong."""
    import warnings

    import jmespath
    from jmespath.exceptions import IncompleteExpressionError, JMESPathError, LexerError, ParseError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # `word` for "word": read, not talked about
            parsed = jmespath.compile(expression)
    except IncompleteExpressionError:
        raise _wrong(expression, len(expression), "it ends too early") from None
    except LexerError as error:
        raise _wrong(expression, error.lexer_position, error.message.lower()) from None
    except ParseError as error:
        raise _wrong(expression, error.lex_position, error.msg.lower()) from None
    except JMESPathError:
        raise _wrong(expression, 0, "it is empty") from None
    except RecursionError:
        raise _wrong(expression, 0, "it is nested too deeply") from None
    _check_calls(expression, parsed.parsed)
    return Query(expression, parsed)


def _check_calls(expression: str, tree: Any) -> None:
    """Refuse what jmespath would only find with a row at hand, and never in a run without rows."""
    from jmespath.functions import Functions

    open_nodes = [(tree, False)]  # a stack: an expression can be nested deeper than Python calls
    while open_nodes:
        node, may_refer = open_nodes.pop()
        children = node["children"]
        kind = node["type"]
        arguments: Any = ()
        if kind == "function_expression":
            name = node["value"]
            if name not in Functions.FUNCTION_TABLE:
                raise _wrong(expression, _place(expression, name), f"there is no function {name}()")
            arguments = Functions.FUNCTION_TABLE[name]["signature"]
            given, wanted = len(children), len(arguments)
            variadic = bool(arguments) and bool(arguments[-1].get("variadic"))
            if given < wanted or (given > wanted and not variadic):
                number = f"{'at least ' if variadic else ''}{wanted}"
                why = f"{name}() takes {number} argument{'s' if wanted != 1 else ''}, not {given}"
                raise _wrong(expression, _place(expression, name), why)
        elif kind == "expref" and not may_refer:
            raise _wrong(expression, expression.find("&"), "& is only for arguments of functions like sort_by()")
        elif kind == "slice":
            if children[2] == 0:
                raise _wrong(expression, expression.find(":"), "the step of a slice cannot be 0")
            continue
        for index, child in enumerate(children):
            refers = index < len(arguments) and "expref" in (arguments[index]["types"] or ())
            if isinstance(child, dict):
                open_nodes.append((child, refers))


def _place(expression: str, name: str) -> int:
    """Where the function `name` is called; a field of the same name is no call."""
    at = expression.find(name)
    while at >= 0 and not expression[at + len(name) :].lstrip().startswith("("):
        at = expression.find(name, at + 1)
    return max(at, 0)


def _wrong(expression: str, position: int, why: str) -> UsageError:
    return UsageError(
        f"The JMESPath expression {_quoted(expression)} is wrong at character {position + 1}: {why}.",
        expression=expression,
        position=position + 1,
    )


def _quoted(expression: str) -> str:
    return f"'{expression}'" if len(expression) <= 200 else f"'{expression[:199]}…'"
