"""The tables and figures of SIMMC 1 and 2, with the numbers that were published of them."""
