"""What learners raise where there is no example of what they learn."""


class NothingToLearnError(ValueError):
    """No example has what is to be learned, such as a right answer or a word."""

    def __init__(self) -> None:
        super().__init__("There is nothing to learn from.")
