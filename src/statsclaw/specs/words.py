"""What the typed blocks share: bounded words and numbers, identifiers, frozen models that refuse unknown keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Typed(BaseModel):
    """Written by a role, read by the engine: strict about keys and types, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


Words = Annotated[str, Field(min_length=1, max_length=4000, strict=True)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,59}$", strict=True)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z.][A-Za-z0-9_.]{0,79}$", strict=True)]
#: `fit`, `fit.coef`, `Model.predict.low`: a function or method of the interface, or a field of what it returns.
ElementRef = Annotated[str, Field(pattern=r"^[A-Za-z.][A-Za-z0-9_.]{0,199}$", strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e150, le=1e150, strict=True)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e150, strict=True)]
Count = Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**63, strict=True)]
#: A whole number, `rows(X)`, `cols(X)`, `length(y)`, `distinct(y)`, the name of an argument, or one of these plus or
#: minus a number.
Dimension = Annotated[
    str, Field(pattern=r"^(\d{1,6}|[A-Za-z][\w.]*|(rows|cols|length|distinct)\([A-Za-z][\w.]*\))( ?[+-] ?\d{1,6})?$")
]
