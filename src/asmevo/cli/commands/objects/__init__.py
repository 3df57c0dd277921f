"""Commands about an object: what is in it, where it is, its code as text and back."""
