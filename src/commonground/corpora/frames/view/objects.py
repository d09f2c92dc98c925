"""What tells a travel package from others of the same hotel: price, dates, stars, seat."""

from __future__ import annotations

import msgspec

from commonground.corpora.frames.native import Package
from commonground.corpora.frames.view.searches import write_dates
from commonground.model import Object
from commonground.view import Sketch


def sketch_object(shown: Object) -> Sketch | None:
    """Gathers what a card of the package says; None for one that nothing describes."""
    try:
        package = msgspec.convert(shown.attributes, Package)
    except msgspec.ValidationError:
        return None
    hotel, trip = package.hotel, package.trip
    stars = hotel.category.partition(" ")[0]
    facts = [write_dates(trip), f"from {trip.or_city}", f"★ {stars}"]
    if hotel.gst_rating:
        facts.append(f"guests {hotel.gst_rating:g}")
    facts.append(trip.seat.lower())
    return Sketch(price=f"${package.price:,.2f}", facts=facts)
