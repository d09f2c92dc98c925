"""What must hold in the released files of PhotoBook, a module per subject."""
