"""Task ``photobook/marks``: whether the partner has an image that a player marks, too."""
