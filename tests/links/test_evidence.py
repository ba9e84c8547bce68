"""The site profile: bounds, round trip, refusal of foreign data."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Profile
from sitecrawl.links.url_facts import url_facts


def test_bounded() -> None:
    profile = Profile()
    for n in range(LIMITS.profile_keys):
        profile.record(
            f"http://a.org/d{'x' * (n % 20)}{'y' * (n // 20 % 20)}{'z' * (n // 400)}/1.html",
            f"html/body/{n}",
            kind="article",
        )
    assert len(profile.seen) == LIMITS.profile_keys


def test_round_trip_and_truth() -> None:
    profile = Profile()
    assert not profile
    profile.record("http://a.org/news/1.html", "body/ul/li/a", kind="listing")
    assert profile
    assert Profile.from_dict(profile.to_dict()).to_dict() == profile.to_dict()


def test_three_pages_turn_the_surest_guess_and_one_does_not() -> None:
    profile, url, group = Profile(), "http://a.org/news/1.html", "body/ul/li/a"
    sure = np.array([[1.0, 0.0, 0.0]], np.float32)
    found = []
    for _ in range(3):
        profile.record(url, group, kind="listing", guess=sure[0].tolist())
        found.append(int(profile.adapt(sure, [group], facts=[url_facts(url)]).argmax()))
    assert (found[0], found[2]) == (0, 1)


def test_what_a_person_says_of_a_url_is_settled() -> None:
    """Whatever the model and the fetched links of its group say, and for all spellings of the
    URL."""
    profile, group, sure = Profile(), "body/ul/li/a", np.array([[1.0, 0.0, 0.0]] * 2, np.float32)
    profile.record_label(
        "http://www.a.org/news/b-1.html", group, kind="other", guess=sure[0].tolist()
    )
    profile = Profile.from_dict(profile.to_dict())
    for _ in range(9):
        profile.record("http://a.org/news/b-2.html", group, kind="article", guess=[0.1, 0.1, 0.8])
    facts = [url_facts("https://a.org/news/b-1.html#top"), url_facts("http://a.org/news/b-3.html")]
    found = profile.adapt(sure, [group] * 2, facts=facts)
    assert found.argmax(axis=1).tolist() == [2, 0]
    assert found[0, 2] > 0.999


def test_guesses_that_were_right_do_not_speak_for_others_of_their_group() -> None:
    profile, group = Profile(), "body/ul/li/a"
    for n in range(50):
        profile.record(
            f"http://a.org/news/{n}.html", group, kind="article", guess=[0.97, 0.02, 0.01]
        )
    about = profile.adapt(
        np.array([[0.2, 0.1, 0.7]], np.float32), [group], facts=[url_facts("http://a.org/about")]
    )
    assert about.argmax() == 2
    profile.record("http://a.org/about", group, kind="article", guess=[0.2, 0.1, 0.7])
    team = profile.adapt(
        np.array([[0.2, 0.1, 0.7]], np.float32), [group], facts=[url_facts("http://a.org/team")]
    )
    assert team.argmax() == 0


def test_counts_of_earlier_versions_are_left_out() -> None:
    assert not Profile.from_dict({"seen": {"u x": [1.0, 0.0, 0.0]}})


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"pages": []},
        {"pages": {"u x": [1.0]}},
        {"pages": {}, "said": []},
        {"pages": {}, "said": {"a": "b"}},
    ],
)
def test_foreign_data_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="profile"):
        Profile.from_dict(data)


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="not in"):
        Profile().record("http://a.org/", "a", kind="thread")
