"""What whoever serves pages needs: the explorer's server and that of a collection.

Who may talk to a server (``guard``), where it listens (``listening``), what its answers carry
(``headers``), which of its processes answers (``dispatch``, ``workers``), how ids become parts of
addresses (``addresses``) and how templates escape (``templates``).
"""
