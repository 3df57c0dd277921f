"""The search: controller, gates, commit rule, run store, failure memory."""
