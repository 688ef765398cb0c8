"""Stored times and time phrases, mostly as tables."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import times
from memcli.errors import UsageError

BASE = 1779265800.0  # 2026-05-20T08:30:00Z


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-05-20T08:30:00.000Z", BASE),
        ("2026-05-20T08:30:00Z", BASE),
        ("2026-05-20T08:30:00.123Z", BASE + 0.123),
        ("2026-05-20T08:30:00.123456", BASE + 0.123456),
        ("2026-05-20T08:30:00.123456789Z", BASE + 0.123456),
        ("2026-05-20T08:30:00,5Z", BASE + 0.5),
        ("2026-05-20T08:30:00", BASE),
        ("2026-05-20 08:30", BASE),
        ("2026-05-20 08:30:00", BASE),
        ("2026-05-20T16:30:00+08:00", BASE),
        ("2026-05-20T16:30:00+0800", BASE),
        ("2026-05-20 16:30:00 +08:00", BASE),
        ("20260520T083000Z", BASE),
        ("20260520", BASE - 8.5 * 3600),
        ("2026-05-20", BASE - 8.5 * 3600),
        ("2026-05-20T08:30:00z", BASE),
        ("2026-05-20 08:30:00 UTC", BASE),
        ("2026-05-20 08:30:00 GMT", BASE),
        ("  2026-05-20T08:30:00Z\n", BASE),
        ("1779265800", BASE),
        ("1779265800.25", BASE + 0.25),
        ("1779265800123", BASE + 0.123),
        ("1779265800123.5", BASE + 0.1235),
        (" 1779265800 ", BASE),
        ("999999999", 999999999.0),
        ("100000000000", 100000000.0),
        ("2012010112345", 2012010112.345),  # not 2012-01-01 23:45
        ("1969-12-31T23:59:59Z", -1.0),
    ],
)
def test_stored_time(text: str, seconds: float) -> None:
    assert times.parse(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " ",
        "12",
        "17",
        "12345678",
        "12345678901",
        "12345678901234",
        "9" * 5000,
        "-1779265800",
        "1779265800.x",
        "1779265800x",
        "1_779_265_800",
        "1779265800.1_0",
        "１７７９２６５８００",
        "nan",
        "inf",
        "2026-05-20T25:00:00Z",
        "2026-13-20",
        "2026-5-20",
        "2026-02-30",
        "2026-05-20T08:30:00 CEST",
        "z",
        "UTC",
        "yesterday",
        "昨天",
        "2026年5月20日",
        "2026-05-20\0",
        "\ud83d2026-05-20",
        "0001-01-01T00:00:00 nowhere",
    ],
)
def test_not_a_time(text: str | None) -> None:
    assert times.parse(text) is None
    assert times.utc(text) is None


@given(st.text())
def test_any_text_is_a_time_or_none(text: str) -> None:
    assert isinstance(times.parse(text), float | None)
    assert isinstance(times.parse(text, "Asia/Shanghai"), float | None)


@given(st.datetimes(min_value=datetime(1975, 1, 1), max_value=datetime(2200, 1, 1)))
def test_every_isoformat_comes_back(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    assert times.parse(aware.isoformat()) == aware.timestamp()
    assert times.utc(aware.isoformat()) == aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("text", "tz", "utc"),
    [
        ("2026-05-20T16:30:00", "Asia/Shanghai", "2026-05-20T08:30:00.000Z"),
        ("2026-05-20", "Asia/Shanghai", "2026-05-19T16:00:00.000Z"),
        ("2026-05-20T08:30:00Z", "Asia/Shanghai", "2026-05-20T08:30:00.000Z"),
        ("2026-05-20T08:30:00.9999", "UTC", "2026-05-20T08:30:00.999Z"),
        ("1779265800123", "Asia/Shanghai", "2026-05-20T08:30:00.123Z"),
        # Berlin: 02:00-03:00 is skipped on 2026-03-29 and repeated on 2026-10-25
        ("2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59.000Z"),
        ("2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"),
        ("2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25T03:00:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"),
        ("1969-12-31T23:59:59.5Z", "", "1969-12-31T23:59:59.500Z"),
        ("0001-01-01T00:00:00", "UTC", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_utc(text: str, tz: str, utc: str | None) -> None:
    assert times.utc(text, tz) == utc


def test_naive_times_follow_the_machines_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert times.utc("2026-05-20T16:30:00") == "2026-05-20T08:30:00.000Z"
        assert times.utc("0001-01-01") is None  # before the calendar begins
        assert times.since("2026-05-20", BASE) == BASE - 8.5 * 3600 - 8 * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("phrase", "tz", "start", "end"),
    [
        ("now", "", "2026-05-20T08:30:00+00:00", "2026-05-20T08:30:00+00:00"),
        ("90m", "", "2026-05-20T07:00:00+00:00", "2026-05-20T07:00:00+00:00"),
        ("36h", "", "2026-05-18T20:30:00+00:00", "2026-05-18T20:30:00+00:00"),
        ("2d", "", "2026-05-18T08:30:00+00:00", "2026-05-18T08:30:00+00:00"),
        (" 2D ", "", "2026-05-18T08:30:00+00:00", "2026-05-18T08:30:00+00:00"),
        ("2w", "", "2026-05-06T08:30:00+00:00", "2026-05-06T08:30:00+00:00"),
        ("0d", "", "2026-05-20T08:30:00+00:00", "2026-05-20T08:30:00+00:00"),
        ("today", "", "2026-05-20T00:00:00+00:00", "2026-05-20T23:59:59.999+00:00"),
        ("Yesterday", "", "2026-05-19T00:00:00+00:00", "2026-05-19T23:59:59.999+00:00"),
        ("today", "Asia/Shanghai", "2026-05-20T00:00:00+08:00", "2026-05-20T23:59:59.999+08:00"),
        ("yesterday", "America/New_York", "2026-05-19T00:00:00-04:00", "2026-05-19T23:59:59.999-04:00"),
        ("2026-05-20", "Asia/Shanghai", "2026-05-20T00:00:00+08:00", "2026-05-20T23:59:59.999+08:00"),
        ("20260520", "", "2026-05-20T00:00:00+00:00", "2026-05-20T23:59:59.999+00:00"),
        ("2026-03-29", "Europe/Berlin", "2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59.999+02:00"),
        ("2026-05-20T08:30", "", "2026-05-20T08:30:00+00:00", "2026-05-20T08:30:00+00:00"),
        ("2026-05-20 08:30", "Asia/Shanghai", "2026-05-20T00:30:00+00:00", "2026-05-20T00:30:00+00:00"),
        ("2026-05-20T08", "", "2026-05-20T08:00:00+00:00", "2026-05-20T08:00:00+00:00"),
        ("2026-05-20T08:30:00Z", "Asia/Shanghai", "2026-05-20T08:30:00+00:00", "2026-05-20T08:30:00+00:00"),
        ("1779265800", "", "2026-05-20T08:30:00+00:00", "2026-05-20T08:30:00+00:00"),
    ],
)
def test_phrase(phrase: str, tz: str, start: str, end: str) -> None:
    assert times.since(phrase, BASE, tz) == pytest.approx(at(start), abs=1e-6)
    assert times.until(phrase, BASE, tz) == pytest.approx(at(end), abs=1e-6)


@pytest.mark.parametrize(
    "phrase", ["", " ", "d", "2", "2x", "-2d", "1.5d", "２d", "9999999d", "2 d", "soon", "昨天", "2026-13-01"]
)
def test_wrong_phrase_lists_the_forms(phrase: str) -> None:
    with pytest.raises(UsageError) as caught:
        times.since(phrase, BASE)
    assert repr(phrase) in caught.value.sentence
    for form in ("2d", "36h", "90m", "2w", "today", "yesterday", "now", "2026-05-20"):
        assert form in caught.value.sentence
    with pytest.raises(UsageError):
        times.until(phrase, BASE)


@pytest.mark.parametrize("name", ["Asia/Shanghai", "UTC", "utc", "Z", "Europe/Berlin"])
def test_zone(name: str) -> None:
    zone = times.zone(name)
    assert zone is not None
    assert zone is times.zone(name)


@pytest.mark.parametrize(
    "name", ["Asia/Atlantis", "Europe", "../etc/passwd", "/etc/passwd", "a\0b", "x" * 5000, "\ud83d", "北京"]
)
def test_unknown_zone_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="no time zone"):
        times.zone(name)


def test_no_zone_is_the_machines() -> None:
    assert times.zone("") is None


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = ("datetime", "zoneinfo", "json")
    code = f"import memcli.times; print([name for name in {heavy} if name in sys.modules])"
    # -S: what site loads for a virtual environment is not ours
    out = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == "[]"
