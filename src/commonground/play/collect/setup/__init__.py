"""A study before people come: its folder, settings, texts, material, and where people come from."""
