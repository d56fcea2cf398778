"""What may leave a sandbox and what may come back: rules about requests, names and addresses that act on nothing."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote_plus, unquote_to_bytes, urlsplit

from pydantic import ConfigDict, SecretStr, field_validator

from statsclaw.echoes import spellings
from statsclaw.runlog.events import Fact

HEAD_BYTES = 64 * 1024
SHORTEST_KEY = 8
Headers = list[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "http2-settings",
    ]
)
CREDENTIALS = frozenset(
    [
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "x-goog-api-key",
        "api-key",
        "x-auth-token",
        "cookie",
        "cookie2",
    ]
)
#: By these a program could choose another host, path or method than the one that was checked.
STEERING = frozenset(
    [
        "host",
        "forwarded",
        "x-original-url",
        "x-rewrite-url",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "expect",
    ]
)
#: By these it could receive the key in a form or in pieces in which it would not be recognised.
DISGUISING = frozenset(["accept-encoding", "range", "if-range"])
KEY_PARAMETERS = frozenset(("key", "apikey", "api_key", "access_token"))
FROM_UPSTREAM = frozenset(("set-cookie", "set-cookie2", "alt-svc"))

_NOT_A_HEAD = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n|\Z)|(?<!\r)\n|\n[ \t]")
_TOKEN = re.compile(r"[-!#$%&'*+.^_`|~0-9a-zA-Z]+")
_AUTHORITY = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([0-9a-zA-Z](?:[0-9a-zA-Z.-]*[0-9a-zA-Z])?))(?::([0-9]{1,5}))?")
_NEVER = tuple(map(ipaddress.ip_network, ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32")))
_EXAMPLES = tuple(map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")))
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


#: Work that is done later, whose cost no answer would tell.
_NOT_ANSWERED_HERE = re.compile(r"/batches(?:/|$)|:(?:async)?batch|:predictLongRunning", re.IGNORECASE)


class Refused(Exception):
    """A request that may not pass: the status and the sentence its sender gets, and the note that is kept of it."""

    def __init__(self, status: int, message: str, note: str) -> None:
        super().__init__(message)
        self.status, self.message, self.note = status, message, note


class Route(Fact):
    """A model endpoint and the key that is added on the way there; without a key, nothing is added.

    `value` is the header's value with `{key}` in it. `prefixes` are whole path segments, before the upstream's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    upstream: str
    header: str = "authorization"
    value: str = "Bearer {key}"
    key: SecretStr = SecretStr("")
    methods: tuple[str, ...] = ("GET", "HEAD", "POST")
    prefixes: tuple[str, ...] = ("/",)

    @field_validator("name")
    @classmethod
    def _name(cls, name: str) -> str:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", name) or name == "registry":
            raise ValueError("a route's name is lower-case letters, digits and hyphens, and is not 'registry'")
        return name

    @field_validator("upstream")
    @classmethod
    def _upstream(cls, upstream: str) -> str:
        if problem := upstream_problem(upstream):
            raise ValueError(problem)
        return upstream

    @field_validator("header")
    @classmethod
    def _header(cls, header: str) -> str:
        if not _TOKEN.fullmatch(header) or header.lower() in HOP_BY_HOP | {"host", "content-length"}:
            raise ValueError("the header cannot carry a key")
        return header.lower()

    @field_validator("value")
    @classmethod
    def _value(cls, value: str) -> str:
        if value.count("{key}") != 1 or not (value.isascii() and value.isprintable()):
            raise ValueError("the value must be printable and contain {key} once")
        return value

    @field_validator("key")
    @classmethod
    def _key(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value()
        if text and (len(text) < SHORTEST_KEY or not re.fullmatch(r"[\x21-\x7e]+", text)):
            raise ValueError(f"a key is at least {SHORTEST_KEY} visible ASCII characters")
        return key

    @field_validator("prefixes")
    @classmethod
    def _prefixes(cls, prefixes: tuple[str, ...]) -> tuple[str, ...]:
        if not prefixes or any(not prefix.startswith("/") for prefix in prefixes):
            raise ValueError("path prefixes begin with /")
        return prefixes

    @property
    def secret(self) -> str:
        return self.key.get_secret_value()

    @cached_property
    def place(self) -> Place:
        url = urlsplit(self.upstream)
        assert url.hostname is not None
        tls = url.scheme == "https"
        return Place(url.hostname, url.port or (443 if tls else 80), tls, own_machine=not tls, private_network=True)

    def target(self, method: str, target: bytes) -> bytes:
        """The target at the upstream for a request's target, or a refusal."""
        note = noted(method, target)
        if method not in self.methods:
            raise Refused(405, f"{', '.join(self.methods)} are allowed here", note)
        path, query = _path_and_query(target, note)
        text = path.decode("ascii")
        if not any(text == prefix.rstrip("/") or text.startswith(prefix.rstrip("/") + "/") for prefix in self.prefixes):
            raise Refused(403, "this path is not open to the sandbox", note)
        if _NOT_ANSWERED_HERE.search(text):
            raise Refused(403, "what is not answered at once is not open to the sandbox", note)
        return urlsplit(self.upstream).path.rstrip("/").encode("ascii") + path + query

    def headers_up(self, headers: Iterable[tuple[bytes, bytes]]) -> Headers:
        """What goes on to the upstream: nothing by which the program names itself, and the real key."""
        passed = headers_up(headers, drop={self.header} | DISGUISING)
        passed.insert(0, (b"host", self.place.authority.encode("ascii")))
        passed.append((b"accept-encoding", b"identity"))  # what is compressed can be neither scrubbed nor metered
        if self.secret:
            passed.append((self.header.encode("ascii"), self.value.replace("{key}", self.secret).encode("ascii")))
        return passed


@dataclass(frozen=True, slots=True)
class Place:
    """A host and port of the network. `own_machine`: loopback only; `private_network`: private addresses will do."""

    host: str
    port: int
    tls: bool = False
    own_machine: bool = False
    private_network: bool = False

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def check(self, address: str) -> None:
        """Refuse an address to which a name of this place must not lead, whatever the name says."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        kinds = _embedded(ip)
        if any(kind in network for kind in kinds for network in _NEVER if kind.version == network.version):
            raise Refused(403, "the name leads to a link-local address", f"{self.host} leads to {ip}")
        if self.own_machine and not all(kind.is_loopback for kind in kinds):
            raise Refused(403, "the name leads away from this machine", f"{self.host} leads to {ip}")
        if not self.private_network and not all(_public(kind) for kind in kinds):
            raise Refused(403, "the name leads to a private address", f"{self.host} leads to {ip}")


class Registry:
    """The hosts of package registries that may be reached: exactly these names, on 443 and 80 or on the port given."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._listed = {self._entry(host) for host in hosts}

    @staticmethod
    def _entry(text: str) -> tuple[str, int | None]:
        with_brackets = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
        if (found := authority(with_brackets)) is None:
            raise ValueError(f"{printable(text)!r} is not a host or host:port")
        return found

    def place(self, name: str, usual_port: int, note: str) -> Place:
        """Where `name` is, if it is listed; `usual_port` is for a name without one."""
        found = authority(name)
        if found is None:
            raise Refused(403, "this is not a plain host name", note)
        host, port = found[0], found[1] or usual_port
        if (host, port) not in self._listed and not ((host, None) in self._listed and port == usual_port):
            raise Refused(403, "this host is not one of the listed registries", note)
        return Place(host, port, private_network=is_address(host) or host == "localhost")

    def absolute(self, target: bytes, note: str) -> tuple[Place, bytes]:
        """The place and path of an absolute-form target."""
        scheme, _, rest = target.decode("ascii").partition("://")
        name, slash, path = rest.partition("/")
        if scheme.lower() != "http" or "#" in path:
            raise Refused(403, "only CONNECT and GET http:// are open to the sandbox", note)
        return self.place(name, 80, note), b"/" + path.encode("ascii") if slash else b"/"


class Scrubber:
    """Blanks a key in a stream, at its own length; holds back only an end that may be the beginning of the key."""

    def __init__(self, key: str) -> None:
        forms = {key, quote(key, safe=""), json.dumps(key)[1:-1], key.replace("/", "\\/"), *spellings(key)} - {""}
        self._forms = sorted((form.encode("ascii") for form in forms), key=len, reverse=True)
        self._held = b""

    def whole(self, text: bytes) -> bytes:
        for form in self._forms:
            text = text.replace(form, b"*" * len(form))
        return text

    def feed(self, data: bytes) -> bytes:
        if not self._forms:
            return data
        data = self.whole(self._held + data)
        cut = len(data) - max(_overlap(data, form) for form in self._forms)
        self._held = data[cut:]
        return data[:cut]

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return held

    def headers(self, headers: Iterable[tuple[bytes, bytes]]) -> Headers:
        """What goes back to the program."""
        names = [form.lower() for form in self._forms]
        return [
            (name, self.whole(value))
            for name, value in _end_to_end(headers)
            if name.decode("ascii") not in FROM_UPSTREAM and not any(form in name for form in names)
        ]


def head_problem(head: bytes | bytearray, looked_at: int = 0) -> str:
    """What is wrong with the beginning of a request, as far as it has come and after `looked_at`; empty if nothing."""
    if len(head) > HEAD_BYTES:
        return "the header is too large"
    wrong = _NOT_A_HEAD.search(head, max(0, looked_at - 1))
    return "the header has folded lines or control characters" if wrong else ""


def check_framing(headers: Iterable[tuple[bytes, bytes]], version: bytes, note: str) -> None:
    """Refuse what two servers may read in two ways."""
    names = {name for name, _ in headers}
    if version != b"1.1":
        raise Refused(400, "only HTTP/1.1 is spoken here", note)
    if {b"content-length", b"transfer-encoding"} <= names:
        raise Refused(400, "Content-Length and Transfer-Encoding together are refused", note)
    nominated = _nominated(headers)
    if b"upgrade" in names | nominated or b"http2-settings" in names:
        raise Refused(400, "changing the protocol is refused", note)


def headers_up(headers: Iterable[tuple[bytes, bytes]], drop: Iterable[str] = ()) -> Headers:
    """Without connection headers, credentials and whatever steers a request elsewhere, in any spelling."""
    dropped = CREDENTIALS | STEERING | {name.replace("_", "-") for name in drop}

    def stays(name: bytes) -> bool:
        plain = name.decode("ascii").replace("_", "-")
        return plain not in dropped and not plain.startswith("x-forwarded-")

    return [(name, value) for name, value in _end_to_end(headers) if stays(name)]


def upstream_problem(upstream: str) -> str:
    """Why a URL cannot be an upstream, without repeating anything of it; empty if it can."""
    try:
        url = urlsplit(upstream)
        host, _ = url.hostname, url.port
    except ValueError:
        return "it is not a URL"
    if url.scheme not in ("http", "https") or not host or not (upstream.isascii() and upstream.isprintable()):
        return "it is not an http or https URL"
    if "@" in url.netloc:
        return "it contains a user name or password"
    if url.query or url.fragment or "?" in upstream or "#" in upstream:
        return "it has a query or a fragment"
    if authority(url.netloc) is None:
        return "its host is not a plain name or address"
    try:
        _path_and_query((url.path.rstrip("/") or "/").encode(), "")
    except Refused:
        return "its path is not plain"
    if url.scheme == "http" and not is_loopback(host):
        return "http is for this machine only; use https"
    return ""


def authority(text: str) -> tuple[str, int | None] | None:
    """Host in one spelling, and port; None for anything but host or host:port."""
    match = _AUTHORITY.fullmatch(text)
    if match is None or (match[3] and not 0 < int(match[3]) < 65536):
        return None
    if match[1]:
        if not is_address(match[1]):
            return None
        return str(ipaddress.ip_address(match[1])), int(match[3]) if match[3] else None
    return match[2].lower(), int(match[3]) if match[3] else None


def _public(ip: Address) -> bool:
    """Addresses for examples count as public: they are nobody's own network, and some machines map names to them."""
    example = any(ip in network for network in _EXAMPLES if ip.version == network.version)
    return (ip.is_global or example) and not ip.is_multicast


def is_loopback(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def noted(method: str, target: bytes, why: str = "") -> str:
    """A line for the record, without the query."""
    return printable(f"{method} {target.partition(b'?')[0].decode('latin-1')}{': ' if why else ''}{why}")


def printable(text: str, most: int = 100) -> str:
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _path_and_query(target: bytes, note: str) -> tuple[bytes, bytes]:
    path, mark, query = target.partition(b"?")
    if not path.startswith(b"/") or b"#" in target:
        raise Refused(400, "the request must name a path and nothing else", note)
    if re.search(rb"%(?![0-9a-fA-F]{2})", path) or not _is_plain(path):
        raise Refused(403, "the path is not plain", note)
    kept = _without_keys(query)
    return path, mark + kept if kept else b""


def _is_plain(path: bytes) -> bool:
    """No way of decoding the path leads up, to another host or to another line."""
    for _ in range(6):
        if b"//" in path or b"\\" in path or re.search(rb"[\x00-\x1f\x7f]", path):
            return False
        if any(segment.partition(b";")[0].strip() in (b".", b"..") for segment in path.split(b"/")):
            return False
        try:
            path.decode("utf-8")
        except UnicodeDecodeError:
            return False
        decoded = unquote_to_bytes(path)
        if decoded == path:
            return True
        path = decoded
    return False


def _without_keys(query: bytes) -> bytes:
    parts = re.split(rb"([&;])", query)
    kept = [
        (separator, part)
        for separator, part in zip([b"", *parts[1::2]], parts[::2], strict=True)
        if unquote_plus(part.partition(b"=")[0].decode("latin-1")).strip().lower().replace("-", "_")
        not in KEY_PARAMETERS
    ]
    return b"".join(separator + part for separator, part in kept).lstrip(b"&;")


def _nominated(headers: Iterable[tuple[bytes, bytes]]) -> set[bytes]:
    return {item.strip().lower() for name, value in headers if name == b"connection" for item in value.split(b",")}


def _end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    pairs = list(headers)
    nominated = _nominated(pairs) - {b"content-length", b"content-type", b"content-encoding"}
    return [(name, value) for name, value in pairs if name.decode("ascii") not in HOP_BY_HOP and name not in nominated]


def _overlap(data: bytes, key: bytes) -> int:
    """How long an end of `data` is the beginning of `key`."""
    for length in range(min(len(key) - 1, len(data)), 0, -1):
        if data.endswith(key[:length]):
            return length
    return 0


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _embedded(ip: Address) -> tuple[Address, ...]:
    """The address and the IPv4 address that it stands for, if it does."""
    if isinstance(ip, ipaddress.IPv4Address):
        return (ip,)
    if ip.ipv4_mapped:
        return (ip.ipv4_mapped,)
    if ip in _NAT64:
        return ip, ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip.sixtofour:
        return ip, ip.sixtofour
    return (ip, *ip.teredo) if ip.teredo else (ip,)
