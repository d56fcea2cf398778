"""Nothing of the person's machine and none of its secrets is stored."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statsclaw.workspace.scrub import HIDDEN, Scrubber, display_remote, display_url
from tests.support.patience import within

SCRUB = Scrubber(
    paths={"/srv/runs/workspace": "<workspace>", "/srv/runs": "<runs>", "/opt/alice": "~"},
    user="alice",
    secrets=("correct-horse-battery",),
)

# Made up here, never valid; put together so that no scanner takes this file for a leak.
TOKENS = {
    "openai": "sk-" + "a1B2" * 8,
    "stripe": "rk-" + "a1B2" * 5,
    "github": "ghp_" + "A1b2" * 9,
    "github app": "ghs_" + "A1b2" * 9,
    "github fine-grained": "github_pat_" + "A1b2" * 10,
    "gitlab": "glpat-" + "A1b2" * 5,
    "aws": "AKIA" + "ABCD" * 4,
    "google": "AIza" + "Ab1-" * 9,
    "slack": "xoxb-" + "1234567890-abc",
    "hugging face": "hf_" + "Ab12" * 8,
    "pypi": "pypi-" + "Ab1_" * 12,
    "npm": "npm_" + "Ab12" * 9,
    "jwt": "eyJ" + "hbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0" + ".SflKxwRJSMeKKF2QT4",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\n-----END RSA " + "PRIVATE KEY-----",
    "private key without an end": "-----BEGIN " + "PRIVATE KEY-----\nMIIEow\nAAAA",
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_is_removed_from_text_and_found_in_a_file(name: str) -> None:
    token = TOKENS[name]
    for text in (token, f"key = '{token}'\n", f"Authorization: Bearer {token}"):
        assert token not in SCRUB(text) and HIDDEN in SCRUB(text)
        assert SCRUB.finds_secret(text.encode())
        assert SCRUB.finds_secret(b"\xff\xfe\x00" + text.encode() + b"\xff")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Bearer-{TOKENS['jwt']}", TOKENS["jwt"]),
        (f"eyJ{'a' * 40}.{'b' * 4500}.{'c' * 40}", "c" * 40),
        (f"https://{'t' * 301}@example.org", "t" * 301),
        ("file:///srv/runs/workspace/x", "/srv/runs"),
        ("gcc -I/home/carol/include", "carol"),
        ("gcc -L/srv/runs/workspace/lib", "/srv/runs"),
    ],
    ids=["jwt after a hyphen", "large jwt", "long login", "file address", "home in a flag", "folder in a flag"],
)
def test_neither_length_nor_what_stands_before_it_hides_anything(text: str, secret: str) -> None:
    assert secret not in SCRUB(text)


@pytest.mark.parametrize(
    "text",
    [
        "task-list of things",
        "the sk- prefix",
        "eyJ",
        "a ghp_ token",
        "risk-adjusted",
        "PUBLIC KEY",
        "npm_config",
        "hf_hub",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert SCRUB(text) == text and not SCRUB.finds_secret(text.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://bob:hunter2@example.org/x", "https://example.org/x"),
        ("https://token@example.org/x", "https://example.org/x"),
        ("ssh://git@example.org/x", "ssh://example.org/x"),
        ("write to bob@example.org", "write to bob@example.org"),
        ("https://example.org/a@b", "https://example.org/a@b"),
        ("HTTPS://bob:hunter2@example.org", "HTTPS://example.org"),
        ("https://bob:hun@ter2@example.org", "https://example.org"),
    ],
)  # fmt: skip
def test_a_login_in_an_address_is_removed(text: str, expected: str) -> None:
    assert SCRUB(text) == expected and display_url(text) == expected


def test_a_login_in_an_address_is_found_in_a_file() -> None:
    assert SCRUB.finds_secret(b"URL = 'https://bob:hunter2-hunter2@example.org/x'\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/carol/x.py", "~/x.py"),
        ("in /Users/carol.", "in ~."),
        ("(/home/carol)", "(~)"),
        ("file:///home/carol/x", "file://~/x"),
        ("src/home/carol", "src/home/carol"),
        ("/srv/runs/workspace/a", "<workspace>/a"),
        ("/srv/runs/other", "<runs>/other"),
        ("/srv/runs/workspace2/a", "<runs>/workspace2/a"),
        ("/opt/alice/x", "~/x"),
        ("alice wrote malice", "[user] wrote malice"),
        ("It is in /srv/runs/workspace.", "It is in <workspace>."),
        ("/home/élodie/x", "~/x"),
    ],
)  # fmt: skip
def test_folders_and_the_user_of_this_machine_are_replaced(text: str, expected: str) -> None:
    assert SCRUB(text) == expected


def test_a_folder_of_this_machine_is_found_in_a_file() -> None:
    assert SCRUB.finds_secret(b"PATH = '/srv/runs/workspace/x'\n")
    assert not SCRUB.finds_secret(b"PATH = '/srv/other'\n")


def test_a_short_home_is_found_in_a_file_too() -> None:
    assert Scrubber(paths={"/root": "~"})("in /root/x") == "in ~/x"
    assert Scrubber(paths={"/root": "~"}).finds_secret(b"PATH = '/root/x'\n")


def test_of_two_secrets_that_begin_alike_nothing_is_left() -> None:
    scrub = Scrubber(secrets=("abcdefgh", "abcdefgh-and-the-rest"))
    assert "rest" not in scrub("abcdefgh-and-the-rest")


@pytest.mark.parametrize("user", ["root", "user", "ubuntu", "me", "ab", ""])
def test_a_user_name_that_is_a_common_word_is_left(user: str) -> None:
    assert Scrubber(user=user)(f"the {user} of the tree") == f"the {user} of the tree"


@settings(deadline=None)
@given(st.text(), st.text(), st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=8))
def test_a_literal_secret_never_survives(before: str, after: str, secret: str) -> None:
    scrub = Scrubber(secrets=(secret,))
    if secret not in HIDDEN:
        assert secret not in scrub(f"{before}\n{secret}\n{after}").replace(HIDDEN, "")
    assert scrub.finds_secret(f"{before}{secret}{after}".encode("utf-8", "replace"))


@settings(deadline=None)
@given(st.text())
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    once = SCRUB(f"{text} /home/bob {TOKENS['github']} https://a:b@c {text}")
    assert SCRUB(once) == once


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/home/carol/x.git", "x.git (on this machine)"),
        ("../x.git", "x.git (on this machine)"),
        ("file:///home/carol/x.git", "x.git (on this machine)"),
        ("https://bob:pw@example.org/x.git", "https://example.org/x.git"),
    ],
)
def test_a_remote_is_shown_without_login_and_folder(url: str, shown: str) -> None:
    assert display_remote(url) == shown


# --- a text of 2 MiB, as an artifact or transcript may be, takes a moment --------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        " ", "-", "\n", "sk-aaaa ", "a://", "/home/", "-----BEGIN ", "A",
        "a.",
        "eyJ-",
    ],
    ids=repr,
)  # fmt: skip
def test_no_text_makes_scrubbing_slow(piece: str) -> None:
    text = piece * (250_000 // len(piece))
    with within(3):
        SCRUB(text)
        SCRUB.finds_secret(text.encode())
