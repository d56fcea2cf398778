"""What tokens cost, where a program does not say so itself: the public price lists, as genai-prices keeps them."""

from __future__ import annotations

from statsclaw.runlog.events import Usage


def priced(usage: Usage, provider: str, model: str) -> Usage:
    """With the money; as it was where the program named it, or where nobody knows the model."""
    if usage.cost_usd or not usage.tokens or not model:
        return usage
    import genai_prices  # a large table, needed once a dispatch

    asked = genai_prices.Usage(
        input_tokens=usage.input_tokens + usage.cached_tokens,
        cache_read_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        found = genai_prices.calc_price(asked, model_ref=model, provider_id=provider)
    except LookupError:
        return usage
    return usage.model_copy(update={"cost_usd": float(found.total_price)})
