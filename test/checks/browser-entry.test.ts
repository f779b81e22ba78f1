import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "tsdown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { builtPackage } from "../support/built-package.ts"
import { openBrowser } from "../support/open-browser.ts"
import { runCommand } from "./run-command.ts"

const coreEntry = join(builtPackage, "dist/public/core.js")

/** A program for a page: it calls a tool with input to repair, and one with input to refuse. */
const program = `
  import { createRuntime, defineTool, parsePolicyYaml } from "${coreEntry}"
  const double = defineTool({
    name: "math.double",
    description: "Doubles.",
    input: {
      type: "object",
      properties: { number: { type: "integer", minimum: 1 }, unit: { enum: ["m", "km"], default: "m" } },
      required: ["number"],
      additionalProperties: false,
    },
    run: ({ number, unit }) => ({ twice: number * 2, unit }),
  })
  const runtime = createRuntime({ tools: [double] })
  const call = (input) => runtime.call({ tool: "math.double", input })
  const policy = await parsePolicyYaml("tools: { policy: minimal }", "toolkeep.yaml")
  console.log(JSON.stringify({
    mayCompile: (() => { try { return new Function("return true")() } catch { return false } })(),
    good: await call({ number: "21", unit: "KM" }),
    bad: await call({ number: 0 }),
    unknown: await call({ number: 1, size: 2 }),
    profile: policy.tools.policy,
  }))`

const answer = (mayCompile: boolean) => ({
  mayCompile,
  good: {
    ok: true,
    tool: "math.double",
    result: { twice: 42, unit: "km" },
    warnings: [expect.stringContaining("number"), expect.stringContaining("unit")],
  },
  bad: {
    ok: false,
    kind: "invalid_args",
    message: 'Argument "number" must be >= 1.',
    field: "number",
    expected: expect.any(String),
    tool: "math.double",
    retryable: true,
  },
  unknown: expect.objectContaining({ ok: false, field: "size" }),
  profile: "minimal",
})

let folder: string
let bundle: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-browser-"))
  await writeFile(join(folder, "program.js"), program)
  bundle = await bundleForBrowsers(join(folder, "program.js"))
})
afterAll(() => rm(folder, { recursive: true }))

async function bundleForBrowsers(entry: string): Promise<string> {
  const outDir = join(folder, "bundled")
  await build({
    config: false,
    cwd: repositoryRoot,
    entry: { page: entry },
    outDir,
    format: "esm",
    platform: "browser",
    fixedExtension: false,
    deps: { alwaysBundle: [/./], onlyBundle: false },
    outputOptions: { codeSplitting: false },
    dts: false,
    logLevel: "silent",
  })
  return readFile(join(outDir, "page.js"), "utf8")
}

/** Serves a page that runs the bundle, with this content security policy. */
async function servePage(policy: string): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js"
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html")
    response.setHeader("Content-Security-Policy", policy)
    response.end(isScript ? bundle : '<script type="module" src="/page.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

async function answerOfPage(policy: string): Promise<unknown> {
  const { server, url } = await servePage(policy)
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    const said = new Promise<string>((resolve, reject) => {
      page.on("console", (message) => message.type() === "log" && resolve(message.text()))
      page.on("pageerror", reject)
    })
    const [answer] = await Promise.all([said, page.goto(url)])
    return JSON.parse(answer)
  } finally {
    await browser.close()
    server.close()
  }
}

describe("toolkeep/core of the published package", () => {
  it("is bundled for a browser without a module of Node's", () => {
    expect([...bundle.matchAll(/["'`]node:\w+/g)].map(String)).toEqual([])
  })

  it("O15: answers calls in a page", async () => {
    expect(await answerOfPage("default-src 'self' 'unsafe-eval'")).toEqual(answer(true))
  })

  it("O15: answers them alike in a page whose policy forbids code made of text", async () => {
    expect(await answerOfPage("default-src 'self'")).toEqual(answer(false))
  })

  it("O15: answers them alike in a Node that forbids code made of text", async () => {
    const path = join(folder, "node.mjs")
    await writeFile(path, program)
    const flag = "--disallow-code-generation-from-strings"
    const { exitCode, output } = await runCommand(`node ${flag} '${path}'`, { cwd: repositoryRoot })
    expect(exitCode, output).toBe(0)
    expect(JSON.parse(output)).toEqual(answer(false))
  })
})
