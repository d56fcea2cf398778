"""The detector of isolation breaches: false alarms on honest texts, detection of planted leaks, time for 64 MB.

Run: python benchmarks/bench_leaks.py
"""

from __future__ import annotations

import base64
import codecs
import itertools
import math
import os
import random
import re
import resource
import time
import urllib.parse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import NormalDist

from statsclaw.leaks.constants import literals
from statsclaw.leaks.markers import markers_for, with_markers
from statsclaw.leaks.overlap import Overlap
from statsclaw.leaks.scan import Detector, Finding, scan
from statsclaw.leaks.views import folded, pieces, words
from statsclaw.runlog import chain
from statsclaw.runlog.events import DispatchFinished, DispatchStarted
from statsclaw.runlog.store import ContentStore

ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "src/statsclaw/demo/hac/recording"
SPECS = {"builder": "spec.md", "tester": "test-spec.md", "simulator": "sim-spec.md"}
TRIALS = 200
MB = 1 << 20


# --- honest texts ----------------------------------------------------------------------------------------------------


@dataclass
class Part:
    """A role of the recorded run: what it was given and what it handed in."""

    given: list[bytes] = field(default_factory=list)
    output: dict[str, bytes] = field(default_factory=dict)


def recorded() -> tuple[dict[str, bytes], dict[str, Part]]:
    """What the planner wrote, and the three roles with their prompts, specifications and outputs."""
    store = ContentStore(RECORDING / "store")
    specs: dict[str, bytes] = {}
    parts = {role: Part() for role in SPECS}
    for record in chain.read(RECORDING / "events.jsonl").records:
        event = record.event
        if isinstance(event, DispatchFinished) and event.role == "planner":
            specs = {name: store.get(digest) for name, digest in event.artifacts.items()}
        elif isinstance(event, DispatchStarted) and event.role in parts:
            parts[event.role].given.append(store.get(event.prompt_sha256))
        elif isinstance(event, DispatchFinished) and event.role in parts:
            kept = event.artifacts | {change.path: change.sha256 for change in event.files if change.sha256}
            if event.transcript_sha256:
                kept["transcript"] = event.transcript_sha256
            parts[event.role].output |= {f"{event.dispatch}/{name}": store.get(sha) for name, sha in kept.items()}
    for role, part in parts.items():
        part.given.append(specs[SPECS[role]])
    return specs, parts


def prose(text: bytes) -> bytes:
    """A page without its code blocks and tables, which repeat the output of one program."""
    text = re.sub(rb"^(```+).*?^\1[ ]*$", b"", text, flags=re.MULTILINE | re.DOTALL)
    return b"\n".join(line for line in text.split(b"\n") if not line.startswith(b"|"))


def breaches(found: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.severity == "breach"]


def honest_run() -> None:
    specs, parts = recorded()
    for role, part in parts.items():
        for name in specs:
            if name == SPECS[role]:
                continue
            hidden, marks = {name: specs[name]}, {name: markers_for("seed", "0" * 64, name)}
            found = scan(part.output, hidden, part.given, marks)
            print(f"recorded_{role}_against_{name}_breaches: {len(breaches(found))}")
            print(f"recorded_{role}_against_{name}_suspicions: {len(found) - len(breaches(found))}")
            print(
                f"recorded_{role}_against_{name}_longest_run: {max(runs(hidden, part.given, part.output), default=0)}"
            )
    counts: list[int] = []
    for role, other in itertools.permutations(parts, 2):
        found = scan(parts[role].output, parts[other].output, parts[role].given, {})
        counts += runs(parts[other].output, parts[role].given, parts[role].output)
        print(f"recorded_{role}_against_output_of_{other}_breaches: {len(breaches(found))}")
    print_runs("recorded_outputs_against_outputs", counts)


def runs(hidden: Mapping[str, bytes], given: Iterable[bytes], output: Mapping[str, bytes]) -> list[int]:
    """The lengths of shared runs that are more than numbers in order."""
    overlap = Overlap(hidden, given)
    found = [p for data in output.values() for part in pieces(data) for p in overlap.passages(words(folded(part)))]
    return [passage.run for passage in found if passage.run_content > 0]


def print_runs(label: str, counts: list[int]) -> None:
    print(f"{label}_longest_run: {max(counts, default=0)}")
    for length in (8, 10, 12, 14):
        print(f"{label}_runs_of_{length}_words_or_more: {sum(count >= length for count in counts)}")


def independent_pairs() -> dict[str, list[tuple[str, bytes, str, bytes]]]:
    """(hidden name, hidden, output name, output), with nothing given."""
    pages = {p.relative_to(ROOT).as_posix(): prose(p.read_bytes()) for p in sorted((ROOT / "docs").rglob("*.md"))}
    pairs = {"docs_prose": [(a, pages[a], b, pages[b]) for a, b in itertools.permutations(pages, 2)]}
    names = ("statistics", "random", "fractions", "_pydecimal", "csv", "heapq", "bisect", "argparse", "doctest")
    library = {f"{n}.py": (Path(os.__file__).parent / f"{n}.py").read_bytes() for n in names}
    numpy = find_spec("numpy")
    if numpy and numpy.origin:
        files = sorted(Path(numpy.origin).parent.rglob("*.py"))
        other = {str(n): file.read_bytes() for n, file in enumerate(files)}
        pairs["python_library_against_numpy"] = [
            (a, library[a], "numpy", b"\n\n".join(list(other.values())[n : n + 20]))
            for a in library
            for n in range(0, len(other), 20)
        ]
    return pairs


def honest_pairs() -> None:
    for label, pairs in independent_pairs().items():
        kinds = {"overlap": 0, "constants": 0}
        counts: list[int] = []
        most = 0.0
        for name, group in itertools.groupby(pairs, key=lambda pair: pair[0]):
            rows = list(group)
            hidden = {name: rows[0][1]}
            detector = Detector(hidden, [], {})
            for _, _, where, data in rows:
                found = detector.scan({where: data})
                most = max([most, *(finding.bits for finding in found)])
                for finding in breaches(found):
                    kinds[finding.kind] += 1
            counts += runs(hidden, [], {f"{n} {row[2]}": row[3] for n, row in enumerate(rows)})
        print(f"{label}_pairs: {len(pairs)}")
        print_runs(label, counts)
        print(f"{label}_most_bits: {most:.1f}")
        for kind, count in kinds.items():
            print(f"{label}_{kind}_breaches: {count}")


# --- constants by simulation -----------------------------------------------------------------------------------------


def spec_number(rng: random.Random) -> str:
    """A number of the kind that specifications hold."""
    draw = rng.random()
    if draw < 0.2:
        return rng.choice(("1e-6", "1e-8", "1e-10", "1e-12", "1e-3", "0.05", "0.01", "0.1", "0.95", "0.9", "0.99"))
    if draw < 0.35:
        return str(rng.choice((20, 25, 30, 50, 100, 200, 250, 400, 500, 1000, 2000, 5000, 10000, 100000)))
    if draw < 0.45:
        return f"{rng.randint(2015, 2026)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
    if draw < 0.5:
        return str(rng.choice((42, 123, 1234, 12345, 2024, 2025, 31337, 271828, 314159, 987654321)))
    if draw < 0.6:
        return rng.choice(("1.96", "1.959964", "1.6449", "2.5758", "3.14159", "2.71828", "0.6745", "1.4826", "0.3989"))
    if draw < 0.7:
        return str(rng.randint(1, 999))
    if draw < 0.8:
        return f"{rng.uniform(0.85, 1):.3f}"
    if draw < 0.9:
        return f"{rng.gauss(0, 2):.2f}".lstrip("-")
    digits = rng.randint(3, 12)
    made = rng.choice(
        (
            rng.randint(1, 12) / rng.randint(2, 12),
            math.sqrt(rng.randint(2, 20)),
            math.log(rng.randint(2, 20)),
            math.exp(-rng.randint(1, 8) / 2),
            math.pi * rng.randint(1, 8) / rng.randint(1, 8),
            NormalDist().inv_cdf(rng.choice((0.9, 0.95, 0.975, 0.99, 0.995))),
            2.0 ** rng.randint(8, 40),
            float(math.factorial(rng.randint(5, 12))),
        )
    )
    return f"{made:.{digits}g}"


def fresh_number(rng: random.Random) -> str:
    """A number that somebody computed: three to sixteen digits."""
    return f"{rng.lognormvariate(0, 2):.{rng.choice((3, 3, 4, 4, 5, 6, 8, 10, 16))}g}"


def constants_by_chance() -> None:
    rng = random.Random(20260101)
    for label, hidden_of, output_of, sizes in (
        ("usual_numbers", spec_number, spec_number, ((60, 100), (200, 2000))),
        ("computed_numbers", fresh_number, fresh_number, ((60, 100), (200, 2000), (200, 20000))),
    ):
        for of, in_output in sizes:
            alarms, most = 0, 0.0
            rounds = 2000 if in_output < 1000 else 300 if in_output < 10000 else 60
            for _ in range(rounds):
                hidden = " ; ".join(hidden_of(rng) for _ in range(of)).encode()
                output = " ; ".join(output_of(rng) for _ in range(in_output)).encode()
                found = scan({"o": output}, {"h": hidden}, [], {})
                rows = [finding for finding in found if finding.kind == "constants"]
                alarms += bool(breaches(rows))
                most = max([most, *(finding.bits for finding in rows)])
            print(f"{label}_{of}_against_{in_output}_false_alarms_of_{rounds}: {alarms}")
            print(f"{label}_{of}_against_{in_output}_most_bits: {most:.1f}")


def planted_constants() -> None:
    """Constants of a hidden specification written into an honest output, as they stand or rounded to six digits."""
    specs, parts = recorded()
    rng = random.Random(20260102)
    for role, name in (("builder", "test-spec.md"), ("builder", "sim-spec.md"), ("simulator", "test-spec.md")):
        part, hidden = parts[role], {name: specs[name]}
        own = set().union(*(literals(folded(data)) for data in part.given))
        told = sorted(literals(folded(specs[name])) - own)
        long = [text.decode() for text in told if len(re.sub(rb"e.*|\D", b"", text).strip(b"0")) >= 6]
        mid = [t.decode() for t in told if 3 <= len(re.sub(rb"e.*|\D", b"", t).strip(b"0")) < 6]
        place = max(part.output, key=lambda key: len(part.output[key]))
        for kind, pool in (("long", long), ("long_rounded", long), ("three_to_five_digits", mid)):
            for count in (1, 2, 3, 5, 8):
                if len(pool) < count:
                    continue
                caught = seen = 0
                for _ in range(50):
                    drawn = rng.sample(pool, count)
                    if kind == "long_rounded":
                        drawn = [f"{float(text):.6g}" for text in drawn]
                    planted = part.output[place] + b"\nEXPECTED = (" + ", ".join(drawn).encode() + b")\n"
                    found = scan(part.output | {place: planted}, hidden, part.given, {})
                    rows = [finding for finding in found if finding.kind == "constants"]
                    caught += bool(breaches(rows))
                    seen += bool(rows)
                label = f"planted_{count}_{kind}_of_{name}_in_{role}"
                print(f"{label}_breach_share: {caught / 50:.2f}")
                print(f"{label}_reported_share: {seen / 50:.2f}")


# --- wording by simulation -------------------------------------------------------------------------------------------


def own_sections(spec: bytes) -> bytes:
    """A specification without its title and the section that all three hold."""
    return re.sub(rb"\A.*?^## Interface\n.*?(?=^## )", b"", spec, flags=re.MULTILINE | re.DOTALL)


def verbatim(text: list[bytes], rng: random.Random) -> bytes:
    return b" ".join(text)  # the copied words with their punctuation


def rewrapped(text: list[bytes], rng: random.Random) -> bytes:
    """Upper and lower case changed, wrapped anew as a comment, with emphasis."""
    rows = [b" ".join(text[n : n + 4]) for n in range(0, len(text), 4)]
    return b"\n    # ".join(rng.choice((row.upper(), b"**" + row + b"**", row.title())) for row in rows)


def replaced(every: int) -> Callable[[list[bytes], random.Random], bytes]:
    def change(text: list[bytes], rng: random.Random) -> bytes:
        shift = rng.randrange(every)
        return b" ".join(b"something" if n % every == shift else word for n, word in enumerate(text))

    return change


def planted_words() -> None:
    specs, parts = recorded()
    rng = random.Random(20260103)
    ways = {"verbatim": verbatim, "rewrapped": rewrapped} | {
        f"every_{m}th_replaced": replaced(m) for m in (4, 5, 6, 8, 12)
    }
    cases = [(role, name) for role in SPECS for other, name in SPECS.items() if other != role]
    for label, change in ways.items():
        for size in (5, 8, 10, 12, 13, 14, 16, 20, 25, 30, 40, 60):
            if "replaced" in label and size < 20:
                continue
            caught = 0
            for number in range(TRIALS):
                role, name = cases[number % len(cases)]
                part = parts[role]
                text = own_sections(specs[name])
                spans = [found.span() for found in re.finditer(rb"[A-Za-z0-9]+", text)]
                start = rng.randrange(len(spans) - size)
                copy = text[spans[start][0] : spans[start + size - 1][1]].split()
                place = min(part.output, key=lambda key: (abs(len(part.output[key]) - 6000), key))
                planted = part.output[place] + b"\n\n" + change(copy, rng) + b"\n"
                found = scan({place: planted}, {name: specs[name]}, part.given, {})
                caught += bool(breaches(found))
            print(f"planted_{size}_words_{label}_breach_share: {caught / TRIALS:.2f}")


# --- markers ---------------------------------------------------------------------------------------------------------

ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "upper_case": lambda text: text.upper().encode(),
    "wrapped": lambda text: text.replace(" ", "\n    # ").encode(),
    "emphasis": lambda text: f"**{text.replace(' ', '** _')}_".encode(),
    "json": lambda text: text.replace(" ", "\\n").encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64_within": lambda text: base64.encodebytes(f"The text says: {text}, and so on, and so on.".encode()),
    "base64_url": lambda text: base64.urlsafe_b64encode(("ÿ" + text).encode()),
    "hex": lambda text: text.encode().hex().encode(),
    "hex_escapes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()).encode(),
    "hex_list": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()).encode(),
    "url": lambda text: urllib.parse.quote(text).encode(),
    "url_whole": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()).encode(),
    "html_entities": lambda text: "".join(f"&#{ord(char)};" for char in text).encode(),
    "reversed": lambda text: text[::-1].encode(),
    "rot13": lambda text: codecs.encode(text, "rot13").encode(),
    "zero_width": lambda text: "\u200b".join(text).encode(),
    "zero_width_escaped": lambda text: "\\u200b".join(text).encode(),
    "soft_hyphens": lambda text: "\u00ad".join(text).encode(),
    "look_alikes": lambda text: text.translate(str.maketrans("aeopcxyi", "аеорсхуі")).encode(),
    "full_width": lambda text: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in text).encode(),
    "mathematical": lambda text: "".join(chr(ord(c) + 0x1D3B9) if c.islower() else c for c in text).encode(),
    "accents": lambda text: "".join(f"{char}\u0301" for char in text).encode(),
    "tags": lambda text: "".join(chr(ord(char) + 0xE0000) for char in text).encode(),
    "utf16": lambda text: text.encode("utf-16-le"),
}


def planted_markers() -> None:
    specs, parts = recorded()
    part = parts["builder"]
    place = max(part.output, key=lambda key: len(part.output[key]))
    rng = random.Random(20260104)
    for label, encode in ENCODINGS.items():
        caught = 0
        for number in range(50):
            phrases = markers_for(f"seed {number}", "0" * 64, "test-spec.md")
            at = rng.randrange(len(part.output[place]))
            data = part.output[place]
            planted = data[:at] + b"\n'" + encode(rng.choice(phrases)) + b"'\n" + data[at:]
            hidden = {"test-spec.md": with_markers(specs["test-spec.md"].decode(), phrases).encode()}
            found = scan({place: planted}, hidden, part.given, {"test-spec.md": phrases})
            caught += any(finding.kind == "marker" for finding in found)
        print(f"planted_marker_{label}_breach_share: {caught / 50:.2f}")


# --- time ------------------------------------------------------------------------------------------------------------


def seconds() -> None:
    specs, parts = recorded()
    hidden = {name: specs[name] for name in ("test-spec.md", "sim-spec.md")}
    marks = {name: markers_for("seed", "0" * 64, name) for name in hidden}
    rng = random.Random(20260105)
    own = b"\n".join(parts["builder"].output.values())
    inputs = {
        "honest_text": (own * (64 * MB // len(own) + 1))[: 64 * MB],
        "random_bytes": rng.randbytes(64 * MB),
        "numbers": "\n".join(f"{rng.random():.12f}" for _ in range(64 * MB // 15)).encode(),
        "one_line": b"lorem " * (64 * MB // 6),
    }
    for label, data in inputs.items():
        start = time.perf_counter()
        scan({"o": data}, hidden, parts["builder"].given, marks)
        print(f"scan_64_mb_{label}_s: {time.perf_counter() - start:.1f}")
    print(f"scan_most_memory_mb: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")
    start = time.perf_counter()
    scan(parts["builder"].output, hidden, parts["builder"].given, marks)
    print(f"scan_recorded_builder_s: {time.perf_counter() - start:.3f}")


def main() -> None:
    honest_run()
    honest_pairs()
    constants_by_chance()
    planted_constants()
    planted_words()
    planted_markers()
    seconds()


if __name__ == "__main__":
    main()
