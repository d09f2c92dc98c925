"""What must hold in the released files of SIMMC, a module per subject."""
