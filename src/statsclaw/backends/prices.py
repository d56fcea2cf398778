"""What tokens cost, where a program does not say so itself: the public price lists, as genai-prices keeps them."""

from __future__ import annotations

import math

from statsclaw.runlog.events import Usage

_ORDINARY_TOKENS = 100_000


def priced(usage: Usage, provider: str, model: str) -> Usage:
    """With the money; as it was where the program named it, or where nobody knows the model.

    Many requests are added up in it, and some makers charge more for a single long one: it is priced as requests of
    ordinary length.
    """
    if usage.cost_usd or not usage.tokens or not model:
        return usage
    import genai_prices  # a large table, needed once a dispatch

    read = usage.input_tokens + usage.cached_tokens
    requests = max(1, math.ceil(read / _ORDINARY_TOKENS))
    asked = genai_prices.Usage(
        input_tokens=read // requests,
        cache_read_tokens=usage.cached_tokens // requests,
        output_tokens=usage.output_tokens // requests,
    )
    try:
        found = genai_prices.calc_price(asked, model_ref=model, provider_id=provider)
    except LookupError:
        return usage
    return usage.model_copy(update={"cost_usd": float(found.total_price) * requests})
