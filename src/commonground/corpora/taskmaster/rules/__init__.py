"""What must hold in the released files of Taskmaster, a module per subject."""
