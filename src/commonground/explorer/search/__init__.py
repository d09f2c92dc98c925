"""What readers look for: the query language, what a query finds, facets, marked words."""
