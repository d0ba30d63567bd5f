"""Web pages as text: addresses, what may be reached, the download, the conversion."""
