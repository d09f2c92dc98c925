"""From a page's data to its HTML: the Jinja environment, and the pieces that Python writes."""
