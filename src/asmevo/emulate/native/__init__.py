"""IR text, its compilation, and the cache of compiled helpers."""
