"""SIMMC: a shopper and an assistant talk about what both see; versions 1.x and 2.x."""
