"""The explorer as files: the same pages, to be opened from disk or from any web host.

``writing.write_site`` writes all of it, ``dialogues`` the pages of dialogues in several processes,
``search_data`` what the script of the pages searches in.
"""
