"""What must hold in the released files of Frames, a module per subject."""
