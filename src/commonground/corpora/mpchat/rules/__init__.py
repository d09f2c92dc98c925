"""What must hold in the released files of MPChat, a module per subject."""
