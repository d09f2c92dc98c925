"""PhotoBook: two people find out in chat which images both see; with the documented processor."""
