from __future__ import annotations

from statsclaw.runlog.events.base import Fact


class Leak(Fact):
    """What a failure report told a role of work it may not see, as an upper bound in bits.

    `word_bits`: the words of behaviours, error classes and the package's own messages, each as one choice out of the
    vocabulary. `other_bits`: which of the fixed sentences, and the rough number of cases. `revealed`: a person opened
    the channel, and no number of bits says what was told.
    """

    behaviours: int = 0
    criteria: tuple[str, ...] = ()
    direction_bits: float = 0.0
    magnitude_bits: float = 0.0
    word_bits: float = 0.0
    other_bits: float = 0.0
    message_chars: int = 0
    revealed: bool = False

    @property
    def bits(self) -> float:
        return self.direction_bits + self.magnitude_bits + self.word_bits + self.other_bits

    def __add__(self, other: Leak) -> Leak:
        return Leak(
            behaviours=self.behaviours + other.behaviours,
            criteria=self.criteria + other.criteria,
            direction_bits=self.direction_bits + other.direction_bits,
            magnitude_bits=self.magnitude_bits + other.magnitude_bits,
            word_bits=self.word_bits + other.word_bits,
            other_bits=self.other_bits + other.other_bits,
            message_chars=self.message_chars + other.message_chars,
            revealed=self.revealed or other.revealed,
        )
