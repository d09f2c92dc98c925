"""What there is in the shops of SIMMC: items, catalogues and pictures."""
