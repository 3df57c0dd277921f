"""What registers hold: EXEC followed symbolically, webs of definitions and uses, renaming."""
