"""ConvLab-3's unified format, a data set per corpus.

What it must be is said by ``data/unified_datasets/README.md`` of ConvLab-3 and enforced by
``check.py`` beside it, which is meant by "ConvLab's checker" in these modules.
"""
