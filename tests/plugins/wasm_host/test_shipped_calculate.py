from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from module_folder import Home


def calculate(home: Home, expression: str) -> str:
    return home.call("calculate", expression=expression).text


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("0.1 + 0.2", "0.3"),
        ("2 + 3 * 4 - 1", "13"),
        ("(2 + 3) * 4", "20"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", "512"),
        ("2 ** 10", "1024"),
        ("2^-2", "0.25"),
        ("--5", "5"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 mod 3", "2"),
        ("7.5 % 2", "1.5"),
        ("10 % 3", "1"),
        ("50%", "0.5"),
        ("15% of 80", "12"),
        ("200 * 10%", "20"),
        ("(1+1)% + 1", "1.02"),
        ("1/3", "1/3, about 0.33333333333333333333"),
        ("1/3 + 2/3", "1"),
        ("1/7*7", "1"),
        ("10 / 4", "2.5"),
        ("1e3 + 1E-3", "1000.001"),
        ("1_000_000 * 3", "3000000"),
        (".5 + 5.", "5.5"),
        ("6 \u00d7 7 \u2212 2 \u00f7 4", "41.5"),
        ("2^100", "1267650600228229401496703205376"),
        (
            "123456789012345678901234567890 * 987654321098765432109876543210",
            "121932631137021795226185032733622923332237463801111263526900",
        ),
        ("25!", "15511210043330985984000000"),
        ("0!", "1"),
        ("factorial(5)", "120"),
        ("comb(52, 5)", "2598960"),
        ("perm(10, 3)", "720"),
        ("comb(3, 5)", "0"),
        ("sqrt(144)", "12"),
        ("sqrt(2.25)", "1.5"),
        ("sqrt(0)", "0"),
        ("sqrt(1/4)", "0.5"),
        ("4^0.5", "2"),
        ("8^1.5", "about 22.62741699796952078083"),
        ("abs(-3.5)", "3.5"),
        ("floor(-1.5)", "-2"),
        ("ceil(-1.5)", "-1"),
        ("ceil(1.2)", "2"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2.675, 2)", "2.68"),
        ("round(1234.5, -2)", "1200"),
        ("min(3, 1, 2) + max(1, 5)", "6"),
        ("sum(1, 2, 3.5)", "6.5"),
        ("mean(1, 2, 3, 4)", "2.5"),
        ("gcd(84, 30)", "6"),
        ("lcm(4, 6, 10)", "60"),
        ("log(1000)", "3"),
        ("log(8, 2)", "3"),
        ("log10(0.01)", "-2"),
        ("log2(1024)", "10"),
        ("0^0", "1"),
        ("1^1000000000000", "1"),
        ("(-1)^1000000000001", "-1"),
        ("0.000000000000000000000001", "0.000000000000000000000001"),
        ("1e-400", "about 1e-400"),
        ("SQRT(16)", "4"),
    ],
)
def test_it_is_exact(shipped: Home, expression: str, result: str) -> None:
    assert calculate(shipped, expression) == result


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(2)", math.sqrt(2)),
        ("sqrt(1e-40 * 3)", math.sqrt(3e-40)),
        ("pi", math.pi),
        ("\u03c0 * 2", math.tau),
        ("e", math.e),
        ("e^2", math.e**2),
        ("exp(-3.5)", math.exp(-3.5)),
        ("exp(100)", math.exp(100)),
        ("ln(10)", math.log(10)),
        ("ln(0.001)", math.log(0.001)),
        ("log(2)", math.log10(2)),
        ("log(10, 3)", math.log(10, 3)),
        ("sin(1)", math.sin(1)),
        ("sin(-1000)", math.sin(-1000)),
        ("cos(0.5)", math.cos(0.5)),
        ("tan(1.2)", math.tan(1.2)),
        ("2^0.1", 2**0.1),
        ("1/998001", 1 / 998001),
    ],
)
def test_what_is_rounded_says_so_and_is_close(shipped: Home, expression: str, value: float) -> None:
    text = calculate(shipped, expression)
    assert "about " in text
    assert float(text.rpartition("about ")[2]) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "the expression ends too early"),
        ("1 +", "the expression ends too early"),
        ("(1 + 2", "the expression ends too early"),
        ("1 / 0", "division by zero"),
        ("5 mod 0", "division by zero"),
        ("0^-1", "division by zero"),
        ("1,234 + 5", "write numbers without thousands separators, like 1234.5"),
        ("2(3)", "is an operator missing, such as *?"),
        ("2 pi", "is an operator missing, such as *?"),
        ("1 < 2", "comparisons are not computed"),
        ("1.2.3", "1.2.3 is not a number"),
        ("x + 1", "x is not known: there are no variables; constants are pi and e"),
        ("foo(1)", "there is no function foo; there are sqrt, abs"),
        ("sqrt(1, 2)", "sqrt takes 1 number, not 2"),
        ("comb(5)", "comb takes 2 numbers, not 1"),
        ("min()", "min takes at least one number"),
        ("sqrt(-1)", "the square root of a negative number is not real"),
        ("(-8)^0.5", "is not real"),
        ("ln(0)", "only numbers above zero have a logarithm"),
        ("(-3)!", "only whole numbers from 0"),
        ("1.5!", "only whole numbers from 0"),
        ("gcd(1.5, 2)", "gcd takes whole numbers"),
        ("9^9^9", "more than 50000 digits"),
        ("10000000!", "more than 50000 digits"),
        ("1e999999999", "more than 50000 digits"),
        ("exp(100000)", "more than 50000 digits"),
        ("\u20ac5", "'\u20ac' at character 1 is not expected"),
        ("(" * 500, "too many brackets inside of each other"),
        ("-" * 500 + "1", "too many signs after each other"),
        ("1+" * 2000 + "1", "longer than 2000 characters"),
    ],
)
def test_a_mistake_is_explained(shipped: Home, expression: str, reason: str) -> None:
    text = calculate(shipped, expression)
    assert text.startswith("[calculate: failed: ")
    assert reason in text


def test_a_number_with_many_digits_is_shortened(shipped: Home) -> None:
    whole = str(math.factorial(1000))
    expected = f"{whole[:50]}...{whole[-50:]} (a number of {len(whole)} digits)"
    assert calculate(shipped, "1000!") == expected


NUMBER = st.integers(0, 10**20).map(str) | st.decimals(0, 10**6, places=4).map(str)
EXPRESSION = st.recursive(
    NUMBER,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({' '.join(t)})")
        | inner.map(lambda text: f"(-{text})")
    ),
    max_leaves=8,
)


def fraction(expression: str) -> Fraction | None:
    """Return what Python makes of it, in fractions."""
    import re

    code = re.sub(r"[0-9.]+", lambda match: f"Fraction('{match[0]}')", expression)
    try:
        return Fraction(eval(code, {"Fraction": Fraction}))
    except ZeroDivisionError:
        return None


@given(EXPRESSION)
@hypothesis_settings(max_examples=60)
def test_it_agrees_with_fractions(shipped: Home, expression: str) -> None:
    expected = fraction(expression)
    text = calculate(shipped, expression)
    if expected is None:
        assert text == "[calculate: failed: division by zero]"
    elif "about " in text:
        shown, _, decimal = text.rpartition("about ")
        if shown:
            assert Fraction(shown.rstrip(", ")) == expected
        assert abs(Fraction(decimal) - expected) <= abs(expected) / 10**12
    else:
        assert Fraction(text) == expected


@given(st.text(alphabet="0123456789.+-*/^%!(), eopisqrtand\u00d7", max_size=40))
@hypothesis_settings(max_examples=60)
def test_any_expression_has_an_answer(shipped: Home, expression: str) -> None:
    assert calculate(shipped, expression)
