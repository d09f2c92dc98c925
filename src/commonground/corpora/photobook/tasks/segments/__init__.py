"""Task ``photobook/segments``: which texts of a game are about which images."""
