"""``python -m commonground``, which is the command ``commonground``."""

from commonground.cli import main

if __name__ == "__main__":
    main()
