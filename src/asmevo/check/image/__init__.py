"""What the loader sees of an edited object, against its original: every byte equal or explained."""

from __future__ import annotations

from asmevo.check.image.compare import compare_images

__all__ = ["compare_images"]
