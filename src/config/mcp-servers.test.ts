import { expect, it } from "vitest"
import { readServers } from "./mcp-servers.ts"
import { parseConfig } from "./parse-config.ts"

const read = async (text: string) => readServers(await parseConfig(text, "/etc/tk/toolkeep.yaml"))

it("Y15: servers are read in the form that other clients use", async () => {
  const text = `mcpServers:
  memory: { command: npx, args: [-y, memory], env: { A: b }, cwd: work }
  inner: { command: node, sandbox: true, cwd: work }
  far: { type: http, url: "https://example.com/mcp", headers: { X: y } }
`
  expect(await read(text)).toEqual([
    {
      kind: "stdio",
      name: "memory",
      command: "npx",
      args: ["-y", "memory"],
      env: { A: "b" },
      cwd: "/etc/tk/work",
    },
    { kind: "sandboxed", name: "inner", command: "node", args: [], env: {}, cwd: "work" },
    {
      kind: "http",
      name: "far",
      url: new URL("https://example.com/mcp"),
      headers: { X: "y" },
      access: { kind: "login", isCertain: false, client: {} },
    },
  ])
  expect(await read("tools: {}")).toEqual([])
})

it.each([
  ["a: {}", "mcpServers.a must have exactly one of command, url."],
  ["a: { command: x, url: y }", "mcpServers.a must have exactly one of command, url."],
  ["a: { command: x, sandbox: 1 }", "mcpServers.a.sandbox must be true or false."],
  ["a: { command: x, arg: [] }", 'mcpServers.a.arg is not known here; did you mean "args"?'],
  ["a: { command: x, type: http }", 'mcpServers.a.type is "http", which goes with url.'],
  ["a: { command: x, headers: {} }", "mcpServers.a.headers goes with url, not with command."],
  [
    "a: { url: 'http://a', sandbox: true }",
    "mcpServers.a.sandbox goes with command, not with url.",
  ],
  [
    "a: { url: 'ftp://a' }",
    'mcpServers.a.url must be an address such as "https://mcp.example.com/mcp".',
  ],
  [
    '"a:b": { command: x }',
    'mcpServers."a:b" is not a valid server name: use up to 32 letters, digits, "_" and "-".',
  ],
])("Y15: a mistake in a server is named with its line: %s", async (line, problem) => {
  await expect(read(`mcpServers:\n  ${line}\n`)).rejects.toThrow(
    `toolkeep.yaml, line 2: ${problem}`,
  )
})
