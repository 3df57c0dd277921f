"""The same calls for programs: an MCP server and the published skill's adapter protocol."""
