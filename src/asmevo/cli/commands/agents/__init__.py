"""Commands for proposers that are other programs: people's agents, scripts, language models."""
