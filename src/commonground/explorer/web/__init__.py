"""What whoever serves pages needs: the explorer's server and that of a collection.

Who may talk to a server (``guard``), where it listens and in how many processes (``listening``),
what its answers carry (``headers``), how ids become parts of addresses (``addresses``) and how
templates escape (``templates``).
"""
