"""The use cases as functions; what `import asmevo` shows. See docs/api.md."""
