"""Markdown as it streams in: finished blocks are rows that stay, the open one still changes."""
