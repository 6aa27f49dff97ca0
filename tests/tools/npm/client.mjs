// Asks `tendril mcp` with the client of @modelcontextprotocol/sdk, which checks every answer against the schemas of the
// protocol and of the tools. node client.mjs TENDRIL TRACE: prints a line of JSON about each answer.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [tendril, trace] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: tendril, args: ["mcp", trace, "b=" + trace] }));

function say(what, value) {
  console.log(JSON.stringify({ what, value }));
}

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  say(name, result.isError ? { error: result.content[0].text } : result.structuredContent ?? { type: result.content[0].type });
  return result;
}

say("server", client.getServerVersion());
const { tools } = await client.listTools();
say("tools", tools.map((tool) => tool.name));
const page = await call("query", { sql: "SELECT id, name FROM zones", rows: 5 });
await call("query", { cursor: page.structuredContent.next_cursor, rows: 2 });
await call("query", { sql: "SELECT nme FROM zones" });
for (const name of ["describe", "open_trace", "zone_statistics", "slowest", "waits"]) {
  await call(name, {});
}
await call("operation", { run_id: 1 });
await call("source", { zone: "worker" });
await call("disassembly", { zone: "worker" });
await call("compare", { old: "features", new: "b" });
if (tools.some((tool) => tool.name === "screenshot")) {
  await call("screenshot", { width: 400, height: 300 });
}
const { resources } = await client.listResources();
say("resources", resources.length);
const schema = await client.readResource({ uri: "tendril://schema" });
say("schema", JSON.parse(schema.contents[0].text).tables.length);
await client.close();
