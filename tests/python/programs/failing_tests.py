"""Tests of which some fail, for pytest."""
import pytest


def double(n):
    return 2 * n


@pytest.fixture
def number():
    yield 3


def test_passes(number):
    assert double(number) == 6


def test_fails(number):
    assert double(number) == 7


def test_raises():
    raise KeyError("missing")


@pytest.mark.skip(reason="not today")
def test_skipped():
    pass


@pytest.mark.xfail
def test_expected():
    assert double(1) == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_many(n):
    assert double(n) < 6


def test_profiled(tracy_profile):
    assert double(21) == 42
