// A client made with the official TypeScript SDK: initialise, list, call each of the two seed tools. It checks what that SDK
// checks (schemas of structured content included) and prints one line of JSON.
//   node client.mjs PROGRAM LIBRARY
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, root] = process.argv.slice(2);
const client = new Client({ name: "typescript-check", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: program, args: ["mcp", "--root", root], env: { ...process.env }, stderr: "inherit" }),
);

const tools = (await client.listTools()).tools.map((t) => t.name);
const prompts = (await client.listPrompts()).prompts.map((p) => p.name);
const draft = await client.callTool({
  name: "novel_draft",
  arguments: { action: "commit", book: "雨夜灯", chapter: "3", text: "第一小段。" },
});
const refused = await client.callTool({ name: "novel_draft", arguments: { action: "read", book: "雨夜灯", text: "x" } });
const added = await client.callTool({
  name: "novel_summary",
  arguments: { book: "雨夜灯", action: "add", chapter: "第二章", summary: "摘要", keyEvents: ["事"] },
});
const listed = await client.callTool({ name: "novel_summary", arguments: { book: "雨夜灯" } });
const config = await client.callTool({ name: "novel_sentence_config", arguments: {} });

console.log(
  JSON.stringify({
    server: client.getServerVersion().name,
    tools,
    prompts,
    draft: draft.structuredContent,
    refused: { isError: refused.isError, text: refused.content[0].text },
    added: added.structuredContent,
    listed: listed.structuredContent,
    threshold: config.structuredContent.chatThreshold,
  }),
);
await client.close();
