import { expect, it } from "vitest"
import { configRoot } from "../config/index.ts"
import { catalogue } from "../tools/index.ts"
import { checkDialect } from "./check-dialect.ts"
import { createVocabulary } from "./create-vocabulary.ts"
import type { DialectTable } from "./dialect-table.ts"
import { builtInDialect, dialectNames } from "./open-dialect.ts"

const tools = catalogue()
const known = new Map(tools.map((tool) => [tool.name, tool]))
const canonical = new Set(known.keys())

async function spoken(name: string) {
  const table = (await builtInDialect(name)) as DialectTable
  return createVocabulary(table, { home: "/home/user", canonical }).tools(tools)
}

it("there are five dialects, and no other name is one", async () => {
  expect(dialectNames).toEqual(["flue", "osaurus", "cloudflare", "openrath", "flynn"])
  expect(await builtInDialect("constructor")).toBeNull()
})

it.each(dialectNames)("%s says nothing that the canonical tools don't have", async (name) => {
  const table = (await builtInDialect(name)) as DialectTable
  expect(checkDialect({ ...table }, configRoot(), known)).toMatchObject({ dialect: name })
})

it.each(dialectNames)(
  "O21: %s describes each tool with an example that its schema takes",
  async (name) => {
    const table = (await builtInDialect(name)) as DialectTable
    for (const tool of await spoken(name)) {
      const example = /Example: (\{.*\})\.$/.exec(table.tools[tool.name]?.description ?? "")?.[1]
      const { createInputCheck } = await import("../contract/index.ts")
      const checked = createInputCheck(tool.inputSchema)(JSON.parse(example ?? "null"))
      expect([tool.name, checked]).toMatchObject([tool.name, { ok: true, notes: [] }])
    }
  },
)

/** Each argument as the document has it: its type, "!" where it must be given, and its default. */
async function outline(name: string) {
  return Object.fromEntries(
    (await spoken(name)).map(({ name: tool, inputSchema }) => [
      tool,
      Object.entries(inputSchema.properties ?? {})
        .map(([argument, schema]) => {
          const needed = inputSchema.required?.includes(argument) ? "!" : ""
          const shown =
            typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default)
          const suffix = schema.default === undefined ? "" : `=${shown}`
          const choices = schema.enum ? `(${schema.enum.join("|")})` : ""
          const type = schema.type ?? schema.anyOf?.map((branch) => branch.type).join("|")
          return `${argument}${needed} ${type}${choices}${suffix}`
        })
        .join(", "),
    ]),
  )
}

it("C1.default, C2.timeout, C3, C4, C5, C6, C7, C8, C9: cloudflare has the document's names, arguments and defaults", async () => {
  expect(await outline("cloudflare")).toEqual({
    shell:
      "sandbox string=default, command! string, timeout_ms number=30000, working_dir string=/home/user",
    read_file: "sandbox string=default, path! string, offset number, limit number",
    write_file: "sandbox string=default, path! string, content! string, append boolean=false",
    glob: "sandbox string=default, pattern! string, cwd string=/home/user",
    browse: "sandbox string=default, port! number",
    sandbox_create: "sandbox! string, image string=node:22, sleep_after_ms number=600000",
    sandbox_list: "",
    transfer:
      "from_sandbox! string, from_path! string, to_sandbox! string, to_path! string, recursive boolean=false",
  })
})

it("R4: openrath has the document's two system tools", async () => {
  expect(await outline("openrath")).toEqual({
    run_shell_command: "command! string",
    write_workspace_file: "path! string, content! string",
  })
})

it("F2.read, F2.write, F2.edit, F2.bash, F2.grep, F2.glob, F8.optional: flue has the document's built-in tools, but for task", async () => {
  expect(await outline("flue")).toEqual({
    read: "path! string, offset integer, limit integer",
    write: "path! string, content! string",
    edit: "path! string, oldText! string, newText! string, replaceAll boolean=false",
    bash: "command! string, timeout number",
    grep: "pattern! string, path string=., include string",
    glob: "pattern! string, path string=.",
  })
})

it("O24, O26, O27: osaurus has the contract's tools, with timeouts in seconds", async () => {
  expect(await outline("osaurus")).toEqual({
    file_read: "path! string, start_line integer, line_count integer",
    sandbox_write_file: "path! string, content! string",
    sandbox_search_files: "pattern! string, path string",
    sandbox_exec: "command! string, cwd string, timeout number, background boolean=false",
    shell_run: "command! string, cwd string, timeout number",
    sandbox_process: "action! string(poll|wait|kill), pid! integer, timeout number",
    search_memory: "query! string, limit integer=10",
    share_artifact: "path string, content string, filename string",
    render_chart:
      "chartType! string(line|bar|area|scatter|pie|histogram), rows! array, x! string, y string|array, title string",
  })
})

it("Y14: flynn has the document's built-in tools", async () => {
  expect(await outline("flynn")).toEqual({
    "file.read": "path! string, encoding string(utf8|base64)=utf8",
    "file.write": "path! string, content! string",
    "file.edit": "path! string, search! string, replace! string",
    "file.list": "path string=., recursive boolean=false",
    "shell.exec": "command! string, cwd string, timeout number=30000",
    "process.start": "command! string, args array, cwd string",
    "process.status": "pid! number",
    "process.kill": "pid! number, signal string(SIGTERM|SIGKILL)=SIGTERM",
    "web.fetch":
      "url! string, method string(GET|POST|PUT|DELETE)=GET, headers object={}, body string, timeout number=10000",
    "web.search": "query! string, limit number=10",
    "browser.navigate": "url! string",
    "browser.screenshot": "",
    "memory.read": "namespace! string",
    "memory.write": "namespace! string, content! string",
    "memory.search": "query! string, namespace string, limit number=10, keywordOnly boolean=false",
    "media.send": "data! string, mimeType! string, filename string",
    "image.analyze":
      "data! string, mimeType! string(image/jpeg|image/png|image/gif|image/webp), prompt string",
    "audio.transcribe": "data! string, mimeType! string(audio/ogg|audio/wav|audio/mpeg|audio/webm)",
    "sessions.list": "limit number=20",
    "sessions.delete": "session! string",
    "system.info": "",
  })
})
