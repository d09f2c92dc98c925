"""The tables and figures of PhotoBook, with the numbers that its authors published."""
