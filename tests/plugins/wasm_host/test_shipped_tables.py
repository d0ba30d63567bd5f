"""`csv_query` and `json_query`."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from module_folder import Home

TABLE = '''city,amount,year,note
Berlin,10.10,2024,"a, b"
Paris,5,2023,
Berlin,0.20,2024,x
Rome,7,2024,"say ""hi"""
'''


def query(home: Home, sql: str, table: str = TABLE) -> str:
    return home.call("csv_query", csv=table, sql=sql).text


@pytest.mark.parametrize(
    ("sql", "result"),
    [
        ("SELECT * FROM csv WHERE year < 2024", ["city,amount,year,note", "Paris,5,2023,"]),
        (
            "select city, sum(amount) from csv where year = 2024 group by city order by 2 desc",
            ["city,sum(amount)", "Berlin,10.3", "Rome,7"],
        ),
        ("SELECT count(*), avg(amount) FROM csv", ["count(*),avg(amount)", "4,5.575"]),
        ("SELECT count(note) FROM csv", ["count(note)", "3"]),
        ("SELECT count(DISTINCT city) AS n FROM csv;", ["n", "3"]),
        ("SELECT min(amount), max(amount)", ["min(amount),max(amount)", "0.20,10.10"]),
        ("SELECT min(city), max(city)", ["min(city),max(city)", "Berlin,Rome"]),
        ("SELECT City FROM csv WHERE note IS NULL", ["City", "Paris"]),
        ("SELECT amount FROM csv WHERE note IS NOT NULL LIMIT 1", ["amount", "10.10"]),
        ("SELECT DISTINCT city FROM csv ORDER BY city DESC LIMIT 2", ["city", "Rome", "Paris"]),
        ("SELECT amount AS a FROM csv ORDER BY a", ["a", "0.20", "5", "7", "10.10"]),
        ("SELECT city FROM csv ORDER BY amount LIMIT 1", ["city", "Berlin"]),
        ("SELECT city FROM csv WHERE city LIKE 'b%' AND amount > 1", ["city", "Berlin"]),
        ("SELECT note FROM csv WHERE note LIKE '%\"hi_'", ["note", '"say ""hi"""']),
        ("SELECT city FROM csv WHERE city NOT LIKE '%r%'", ["city", "(no row fits)"]),
        ("SELECT amount FROM csv WHERE city IN ('Rome', 'Paris')", ["amount", "5", "7"]),
        ("SELECT amount FROM csv WHERE amount BETWEEN 5 AND 7", ["amount", "5", "7"]),
        ("SELECT amount FROM csv WHERE NOT (year = 2024 OR amount = 0)", ["amount", "5"]),
        ("SELECT amount FROM csv WHERE amount = 10.1", ["amount", "10.10"]),
        ("SELECT amount FROM csv WHERE amount <> 5 AND year != 2024", ["amount", "(no row fits)"]),
        ('SELECT "amount" FROM csv WHERE `city` = "Paris"', ["amount", "5"]),
        ("SELECT [city] FROM csv WHERE 5 = amount", ["city", "Paris"]),
        (
            "SELECT year, count(*) FROM csv GROUP BY year ORDER BY count(*)",
            ["year,count(*)", "2023,1", "2024,3"],
        ),
        ("SELECT sum(amount) FROM csv WHERE year = 1999", ["sum(amount)", ""]),
        ("SELECT count(*) FROM csv WHERE year = 1999", ["count(*)", "0"]),
        ("SELECT note FROM csv WHERE amount > 10", ["note", '"a, b"']),
    ],
)
def test_sql_is_understood(shipped: Home, sql: str, result: list[str]) -> None:
    assert query(shipped, sql) == "\n".join(result).rstrip("\n")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DELETE FROM csv", "begin with SELECT"),
        ("", "begin with SELECT"),
        ("SELECT foo FROM csv", "there is no column foo; there are: city, amount, year, note"),
        ("SELECT median(amount) FROM csv", "there is no function median; there are count, sum"),
        ("SELECT city, sum(amount) FROM csv", "city is neither in GROUP BY nor inside of count"),
        ("SELECT sum(city) FROM csv", "sum(city): 'Berlin' is not a number"),
        ("SELECT * FROM csv JOIN x", "there is one table and no JOIN"),
        ("SELECT * FROM csv WHERE", "a name is missing"),
        ("SELECT * FROM csv WHERE city", "a comparison such as = or LIKE is missing"),
        ("SELECT * FROM csv WHERE city = 'x", "a quotation mark is not closed"),
        ("SELECT * FROM csv WHERE (city = 'x'", "a ) is missing"),
        ("SELECT * FROM csv ORDER BY 9", "there is no such column to order by"),
        ("SELECT * FROM csv LIMIT x", "LIMIT takes a number"),
        ("SELECT * FROM csv GROUP city", "write GROUP BY"),
        ("SELECT city, count(*) FROM csv GROUP BY city HAVING 1 = 1", "HAVING is not known"),
        ("SELECT * FROM csv nonsense", "at 'nonsense': this is not expected here"),
        ("SELECT * FROM csv WHERE " + "(" * 100, "too many brackets"),
    ],
)
def test_a_mistake_in_sql_is_explained(shipped: Home, sql: str, reason: str) -> None:
    assert reason in query(shipped, sql)


@pytest.mark.parametrize(
    ("table", "result"),
    [
        ("a;b\r\n1;2\r\n", "1,2"),
        ("a\tb\n1\t2", "1,2"),
        ("a|b\n1|2", "1,2"),
        ("\ufeffa,b\n1,2\n\n", "1,2"),
        (' a , b \n"1","2"', "1,2"),
        ('a,b\n"line\none",2', '"line\none",2'),
    ],
)
def test_tables_of_all_kinds_are_read(shipped: Home, table: str, result: str) -> None:
    assert query(shipped, "SELECT a, b", table) == f"a,b\n{result}"


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("", "`csv` is empty"),
        ("a,b\n1,2,3", "row 1 of the table has 3 fields, its first line has 2"),
        ('a,b\n"1,2', 'a " in the table is not closed'),
    ],
)
def test_a_table_that_is_none_is_explained(shipped: Home, table: str, reason: str) -> None:
    assert reason in query(shipped, "SELECT *", table)


def test_many_rows_are_cut(shipped: Home) -> None:
    table = "n\n" + "\n".join(map(str, range(1000)))
    text = query(shipped, "SELECT * FROM csv", table)
    assert text.endswith("\n199\n(800 more rows; add WHERE, GROUP BY or LIMIT)")


ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(-99, 99), st.integers(0, 3)),
    min_size=1,
    max_size=12,
)
QUESTIONS = [
    "SELECT k, sum(n), count(*) FROM t GROUP BY k ORDER BY k",
    "SELECT n, k FROM t WHERE n > m AND k <> 'b' ORDER BY n, k, m",
    "SELECT DISTINCT k FROM t WHERE n BETWEEN -50 AND 50 OR m IN (1, 3) ORDER BY k",
    "SELECT max(n), min(m) FROM t WHERE NOT k LIKE 'A%'",
]


@given(ROWS, st.sampled_from(QUESTIONS))
@hypothesis_settings(max_examples=60)
def test_it_agrees_with_a_database(
    shipped: Home, rows: list[tuple[str, int, int]], sql: str
) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (k TEXT, n INTEGER, m INTEGER)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    expected = [["" if v is None else str(v) for v in row] for row in database.execute(sql)]
    database.close()
    table = "k,n,m\n" + "\n".join(f"{k},{n},{m}" for k, n, m in rows)
    text = query(shipped, sql, table)
    if expected:
        assert [*csv.reader(io.StringIO(text))][1:] == expected
    else:
        assert text.endswith("\n(no row fits)")


@given(st.text(max_size=60), st.text(max_size=60))
@hypothesis_settings(max_examples=40)
def test_any_table_and_any_sql_have_an_answer(shipped: Home, table: str, sql: str) -> None:
    assert query(shipped, f"SELECT {sql}", table)


# JSON.

ORDERS = {
    "orders": [
        {"id": 1, "paid": True, "total": 10.10, "tags": ["new", "big"]},
        {"id": 2, "paid": False, "total": 5, "name": "Müller"},
        {"id": 3, "paid": True, "total": 20.2, "name": None},
    ],
    "odd key": {"deep": {"id": 9}},
}


def ask(home: Home, path: str, document: Any = ORDERS) -> str:
    return home.call("json_query", json=document, query=path).text


@pytest.mark.parametrize(
    ("path", "result"),
    [
        (".orders[0].id", ["1"]),
        ("orders[-1].id", ["3"]),
        ("$.orders[*].id", ["1", "2", "3"]),
        (".orders[].id", ["1", "2", "3"]),
        (".orders.id", ["1", "2", "3"]),
        (".orders[0:2].id", ["1", "2"]),
        (".orders[-2:].id", ["2", "3"]),
        ("..id", ["1", "2", "3", "9"]),
        ('."odd key".deep', ['{"id":9}']),
        ("['odd key'].deep.id", ["9"]),
        (".orders[?paid].id", ["1", "3"]),
        (".orders[?!paid].id", ["2"]),
        (".orders[?paid == true].total | sum", ["30.3"]),
        (".orders[?total > 5 && total <= 20.2].id", ["1", "3"]),
        (".orders[?id == 1 || id == 3].id | length", ["2"]),
        (".orders[?not (id = 1 or id = 2)].id", ["3"]),
        (".orders[?name contains 'üll'].id", ["2"]),
        (".orders[?tags contains 'big'].id", ["1"]),
        (".orders[?name == null].id", ["1", "3"]),
        (".orders[?@.id >= 2].id", ["2", "3"]),
        (".orders.total | mean", ["11.766666666667"]),
        (".orders.total | max", ["20.2"]),
        (".orders.total | sort", ["5", "10.1", "20.2"]),
        (".orders.paid | unique", ["true", "false"]),
        (".orders | length", ["3"]),
        (". | keys", ['"orders"', '"odd key"']),
        (".orders[0] | keys | length", ["4"]),
        (".orders[0].tags | type", ['"array"']),
        (".orders[1].name | length", ["6"]),
        (".orders | .id", ["1", "2", "3"]),
        (".orders[7]", ["nothing is there; the document has the keys orders, odd key"]),
        (".missing", ["nothing is there; the document has the keys orders, odd key"]),
    ],
)
def test_paths_are_followed(shipped: Home, path: str, result: list[str]) -> None:
    assert ask(shipped, path) == "\n".join(result)


def test_numbers_keep_all_digits(shipped: Home) -> None:
    assert ask(shipped, ".a", '{"a": 12345678901234567890.10}') == "12345678901234567890.10"


def test_a_document_may_be_text(shipped: Home) -> None:
    assert ask(shipped, "[1]", '[1, "\\u00e4\\ud83d\\ude00\\n"]') == '"\u00e4\U0001f600\\n"'


def test_an_array_says_what_it_is(shipped: Home) -> None:
    assert ask(shipped, ".x", [1, 2]) == "nothing is there; the document is an array of 2"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".orders[", "the query ends too early"),
        (".orders]", "']' at character 8 is not expected; write it like"),
        (".orders[x]", "'x' at character 9 is not expected"),
        ('."odd', 'a " is not closed'),
        (".orders | count2", "there is no function count2; there are length, keys"),
        (".orders | sum", "sum takes numbers; one value is of type object"),
        (".orders[].id | keys", "keys are of objects; this is of type number"),
        (".orders[].paid | sort", "only numbers, or only texts, can be put in order"),
        (".none | mean", "the mean of no numbers is not defined"),
        (".orders[?" + "(" * 50, "too many brackets"),
    ],
)
def test_a_mistake_in_a_path_is_explained(shipped: Home, path: str, reason: str) -> None:
    assert reason in ask(shipped, path)


@pytest.mark.parametrize(
    "text", ['{"a": }', "[1,]", '{"a" 1}', "nul", "01", '"\\x"', '"open', "[" * 1000, "1 2", ""]
)
def test_text_that_is_not_json_is_shown_where(shipped: Home, text: str) -> None:
    assert "`json` is not JSON: mistake at character " in ask(shipped, ".", text)


# What is changed on the way to the model is left out: controls, and what orders text.
PLAIN = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="["))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN, inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
@hypothesis_settings(max_examples=60)
def test_a_document_comes_back_as_it_went_in(shipped: Home, document: Any) -> None:
    assert json.loads(ask(shipped, ".a", json.dumps({"a": document}))) == document


@given(st.text(alphabet=".[]?|&=<>!@'\"$*:-0129 aborders", max_size=30))
@hypothesis_settings(max_examples=60)
def test_any_path_has_an_answer(shipped: Home, path: str) -> None:
    assert ask(shipped, path)
