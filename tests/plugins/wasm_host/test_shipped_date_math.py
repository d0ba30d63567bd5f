from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from module_folder import Home


def date_math(home: Home, date: str, **more: str) -> str:
    return home.call("date_math", date=date, **more).text


@pytest.mark.parametrize(
    ("given_date", "add", "result"),
    [
        ("2024-02-28", "1 day", "2024-02-29 Thursday"),
        ("2023-02-28", "1 day", "2023-03-01 Wednesday"),
        ("2024-01-15", "1 month", "2024-02-15 Thursday"),
        ("2024-01-31", "1 month", "2024-02-29 Thursday (the month has no such day, its last"),
        ("2024-02-29", "1 year", "2025-02-28 Friday (the month has no such day, its last one"),
        ("2024-12-31", "2 weeks and 3 days", "2025-01-17 Friday"),
        ("2024-03-31", "-1 month", "2024-02-29 Thursday (the month has no such day"),
        ("2024-01-01", "-1d", "2023-12-31 Sunday"),
        ("2024-01-01", "1 year 2 months, 3 days", "2025-03-04 Tuesday"),
        ("2024-01-01", "- 1 year", "2023-01-01 Sunday"),
        ("2024-03-01", "10 working days", "2024-03-15 Friday"),
        ("2024-03-01", "1 business day", "2024-03-04 Monday"),
        ("2024-03-04", "-1 working days", "2024-03-01 Friday"),
        ("2024-03-02", "1 working day", "2024-03-04 Monday"),
        ("2024-03-01T22:30", "90 minutes", "2024-03-02T00:00 Saturday"),
        ("2024-03-01", "36 hours", "2024-03-02T12:00 Saturday"),
        ("2024-03-01T10:00:30", "45 s", "2024-03-01T10:01:15 Friday"),
        ("2024-03-01T10:00+05:30", "1h", "2024-03-01T11:00+05:30 Friday"),
        ("2024-03-01", "1 quarter", "2024-06-01 Saturday"),
        ("2024-03-01", "0 days", "2024-03-01 Friday"),
    ],
)
def test_time_is_added(shipped: Home, given_date: str, add: str, result: str) -> None:
    assert date_math(shipped, given_date, add=add).startswith(result)


@pytest.mark.parametrize(
    "written",
    [
        "2024-03-05",
        "2024/03/05",
        "20240305",
        "5.3.2024",
        "05.03.2024",
        "5 March 2024",
        "5. March 2024",
        "5th of".replace(" of", " March 2024"),
        "05-Mar-2024",
        "Mar 5, 2024",
        "March 5th, 2024",
        " 2024-03-05 ",
    ],
)
def test_dates_are_read_as_people_write_them(shipped: Home, written: str) -> None:
    assert date_math(shipped, written).startswith("2024-03-05 is a Tuesday")


@pytest.mark.parametrize(
    "written", ["2024-03-05T14:05Z", "2024-03-05 14:05 UTC", "2024-03-05T14:05:00+00:00"]
)
def test_times_are_read_too(shipped: Home, written: str) -> None:
    assert date_math(shipped, written, add="1 minute") == "2024-03-05T14:06Z Tuesday"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("2023-02-29", "there is no 2023-02-29: that month has 28 days"),
        ("2024-13-01", "has no such month"),
        ("2024-04-31", "that month has 30 days"),
        ("2024-01-00", "there is no 2024-01-00"),
        ("today", "there is no clock in here: give the date itself"),
        ("02/03/2024", "can be read in two ways; write dates as YYYY-MM-DD"),
        ("March", "is not a date; write it as YYYY-MM-DD"),
        ("", "is not a date"),
        ("24-01-01", "is not a date"),
        ("2024-01-01T25:00", "is not a date"),
        ("2024-01-01 noon", "is not a date"),
        ("99999999999999999999", "is not a date"),
    ],
)
def test_what_is_no_date_is_explained(shipped: Home, written: str, reason: str) -> None:
    assert reason in date_math(shipped, written)


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        ("soon", "'soon' is no length of time; write it like '3 months -2 days'"),
        ("3", "of what?"),
        ("3 moons", "'moons' is no length of time"),
        ("99999999 days", "is too much"),
        ("10000 years", "outside of the years 1 to 9999"),
        ("-5000 years", "outside of the years 1 to 9999"),
        ("and", "is no length of time"),
    ],
)
def test_what_is_no_length_of_time_is_explained(shipped: Home, add: str, reason: str) -> None:
    assert reason in date_math(shipped, "2024-01-01", add=add)


def test_the_time_between_is_told_in_all_ways(shipped: Home) -> None:
    assert date_math(shipped, "2024-01-31", until="2025-03-01") == (
        "395 days = 1 year 1 month 1 day = 56 weeks 3 days; "
        "working days (Monday to Friday, the last day not counted): 283"
    )


def test_the_time_between_times_has_hours(shipped: Home) -> None:
    text = date_math(shipped, "2024-03-10T08:00+02:00", until="2024-03-11T07:30Z")
    assert text.startswith("1 day 1 h 30 min; in all 25 hours 30 minutes = 0 years 0 months 1 day")


def test_time_backwards_says_so(shipped: Home) -> None:
    text = date_math(shipped, "2024-12-31", until="2024-01-01")
    assert text.startswith("`until` is before `date`, by 365 days")


def test_one_offset_alone_cannot_be_compared(shipped: Home) -> None:
    text = date_math(shipped, "2024-01-01T00:00Z", until="2024-01-02")
    assert "give it to both or to none" in text


def test_both_questions_at_once_are_one_too_many(shipped: Home) -> None:
    text = date_math(shipped, "2024-01-01", until="2024-01-02", add="1 day")
    assert "give either `add` or `until`" in text


DATES = st.dates(date(1600, 1, 1), date(9000, 12, 31))


@given(DATES)
@hypothesis_settings(max_examples=60)
def test_it_agrees_about_a_day(shipped: Home, day: date) -> None:
    text = date_math(shipped, day.isoformat())
    year, week, _ = day.isocalendar()
    number = day.timetuple().tm_yday
    assert text.startswith(f"{day.isoformat()} is a {day:%A}: day {number} of {day.year}")
    assert f"; ISO week {year}-W{week:02d}; " in text


@given(DATES, DATES)
@hypothesis_settings(max_examples=60)
def test_it_agrees_about_the_days_between(shipped: Home, a: date, b: date) -> None:
    text = date_math(shipped, a.isoformat(), until=b.isoformat())
    days = abs((b - a).days)
    first, last = min(a, b), max(a, b)
    working = sum((first + timedelta(n)).weekday() < 5 for n in range(days % 7)) + days // 7 * 5
    if b < a:
        text = text.removeprefix("`until` is before `date`, by ")
    assert text.startswith(f"{days} day")
    assert text.endswith(f": {working}")
    assert last >= first


@given(DATES, st.integers(-100_000, 100_000))
@hypothesis_settings(max_examples=60)
def test_it_agrees_about_days_later(shipped: Home, day: date, days: int) -> None:
    then = day + timedelta(days)
    assert date_math(shipped, day.isoformat(), add=f"{days} days") == f"{then} {then:%A}"


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.integers(-9_999_999, 9_999_999))
@hypothesis_settings(max_examples=60)
def test_it_agrees_about_seconds_later(shipped: Home, start: datetime, seconds: int) -> None:
    start = start.replace(microsecond=0)
    then = start + timedelta(seconds=seconds)
    text = date_math(shipped, start.isoformat(), add=f"{seconds} seconds")
    assert datetime.fromisoformat(text.split()[0]) == then
