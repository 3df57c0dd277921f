"""The driver `llm`: a language model proposes through the tools, and the gates decide.

`endpoint` speaks to a model, `calls` sees that a call ends and is accounted for, `account` keeps
the limits, `plan` chooses where to begin and when to leave off, `driver` puts them together.
"""
