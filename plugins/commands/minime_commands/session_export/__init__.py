"""A session as one file to keep or to share: a page, Markdown, or JSON.

`story` tells what happened from the records; each other module writes it in one form.
"""
