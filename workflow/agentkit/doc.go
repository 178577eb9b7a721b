// Package agentkit holds what `git novel agents install` writes for the client programs of AI agents: three agent files and
// the write skill in the nine-section template of seed harness_v6 (4.7), the guard hook and the entry of the MCP server.
//
// It owns the texts (body/*.md, Chinese, embedded) and the form that each client wants them in. It reads and writes no file:
// the workflow does. It may import the schema only.
//
// Every command line in a text is one that the program has; a test takes them out of the texts and runs them.
package agentkit
