"""The benchmark tasks of SIMMC, one file each."""
