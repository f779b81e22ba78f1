import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { PolicyConfig } from "../../src/config/index.ts"
import { defineTool, type Tool } from "../../src/contract/index.ts"
import { createPolicy, type PathStart } from "../../src/policy/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { catalogue } from "../../src/tools/index.ts"

const home = mkdtempSync(join(tmpdir(), "toolkeep-paths-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The same path in other words. Never through a directory that could be a link. */
function spellings(path: string, { home, cwd = home }: PathStart): fc.Arbitrary<string> {
  const absolute = path.startsWith("/") ? path : `${home}/${path}`
  const up = cwd
    .split("/")
    .slice(1)
    .map(() => "..")
    .join("/")
  const starts = [absolute, `${up}${absolute}`, `${up}/../..${absolute}`]
  if (absolute.startsWith(`${cwd}/`)) starts.push(absolute.slice(cwd.length + 1))
  const noise = fc.constantFrom("", "", ".", "..x/..", "x/..", "x/y/../..", "./.", "/")
  const steps = fc.array(noise, { minLength: 12, maxLength: 12 })
  return fc
    .tuple(fc.constantFrom(...starts), steps, fc.constantFrom("", "/", "/.", "//", "/x/.."))
    .map(([start, [first = "", ...rest], end]) => {
      const spelled = start
        .split("/")
        .map((part, index) => (index === 0 || part === "" ? part : `${rest[index % 11]}/${part}`))
        .join("/")
      // Noise in front of an absolute path would make it another one.
      return `${start.startsWith("/") ? "" : first === "" || first === "/" ? "" : `${first}/`}${spelled}${end}`
    })
}

const diff = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`

/** Every tool that takes a path, and a call of it with one. */
const calls: Readonly<Record<string, readonly ((path: string) => object)[]>> = {
  "file.read": [(path) => ({ path })],
  "file.write": [(path) => ({ path, content: "" })],
  "file.edit": [(path) => ({ path, edits: [] })],
  "file.patch": [
    (path) => ({ patch: diff(path) }),
    (path) => ({ patch: diff("fine.txt") + diff(path) }),
    (path) => ({ patch: `diff --git a/x b/x\nrename from fine.txt\nrename to ${path}\n` }),
    (path) => ({ patch: `diff --git a/x b/x\nrename from ${path}\nrename to fine.txt\n` }),
    (path) => ({ patch: `--- "a/${path}"\n+++ "b/${path}"\n@@ -1 +1 @@\n-a\n+b\n` }),
  ],
  "file.list": [(path) => ({ path })],
  "file.glob": [(path) => ({ path, pattern: "*" })],
  "file.grep": [(path) => ({ path, pattern: "x" })],
  "file.info": [(path) => ({ path })],
  "file.move": [
    (path) => ({ from: path, to: "fine.txt" }),
    (path) => ({ from: "fine.txt", to: path }),
  ],
  "file.remove": [(path) => ({ path })],
  "shell.exec": [(cwd) => ({ command: "ls", cwd })],
  "process.start": [(cwd) => ({ command: "ls", cwd })],
  "code.run": [(cwd) => ({ language: "bash", code: "ls", cwd })],
  "sandbox.transfer": [
    (path) => ({ from_sandbox: "a", to_sandbox: "b", from_path: path, to_path: "fine.txt" }),
    (path) => ({ from_sandbox: "a", to_sandbox: "b", from_path: "fine.txt", to_path: path }),
  ],
  "media.send": [(path) => ({ path })],
  "image.analyze": [(path) => ({ path })],
  "audio.transcribe": [(path) => ({ path })],
  "artifact.share": [(path) => ({ path })],
  "chart.render": [(path) => ({ path })],
}

const tools = new Map(catalogue().map((tool) => [tool.name, tool]))
const named = (name: string) => {
  const tool = tools.get(name)
  if (!tool) throw new Error(`there is no ${name}`)
  return tool
}

const rule = (kind: "deny" | "ask" | "allow", path: string): PolicyConfig => ({
  tools: { rules: [{ [kind]: "*", when: { path } } as never], hooks: { confirm: ["*"] } },
})

/** Also through the argument's own name. */
const starts: readonly PathStart[] = [
  { home: "/home/user" },
  { home: "/home/user", cwd: "/home/user/work/deep" },
  { home: "/srv/project", cwd: "/tmp" },
]

describe("a rule on paths judges the place, however it is spelled", () => {
  it("Y8: knows every argument of a tool that is a path", () => {
    const urls = new Set(["sandbox.browse"])
    const found = [...tools.values()].filter(
      ({ name, pathArguments, paths, inputSchema }) =>
        !urls.has(name) &&
        (pathArguments.length > 0 ||
          name in calls ||
          paths.length > 0 ||
          /"(path|cwd|dir|directory|file|root|\w+_(path|dir|file))":/.test(
            JSON.stringify(inputSchema.properties),
          )),
    )
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort())
  })

  it.each(Object.keys(calls))("Y8: %s", (name) => {
    const tool = named(name)
    const protectedPath = fc.constantFrom(".profile", "docs/secret/key", "/etc/hosts")
    const denying = createPolicy(rule("deny", "^(\\.profile|docs/secret/key|/etc/hosts)$"))
    const byAbsolute = createPolicy(
      rule("deny", "^(/.*/\\.profile|/.*/docs/secret/key|/etc/hosts)$"),
    )
    const asking = createPolicy(rule("ask", "^(\\.profile|docs/secret/key|/etc/hosts)$"))
    const spelled = fc
      .tuple(protectedPath, fc.constantFrom(...starts))
      .chain(([path, start]) => fc.tuple(spellings(path, start), fc.constant(start)))
    fc.assert(
      fc.property(spelled, fc.constantFrom(...(calls[name] ?? [])), ([path, start], call) => {
        const input = call(path)
        const verdicts = [denying, byAbsolute, asking].map(
          (policy) => policy.judge({ tool, input, start }).kind,
        )
        expect(verdicts).toEqual(["deny", "deny", "ask"])
      }),
      { numRuns: 150 },
    )
  })

  it.each(Object.keys(calls))("Y8: %s is allowed by no other place's rule", (name) => {
    const tool = named(name)
    const policy = createPolicy(rule("allow", "(^|/)(docs|fine.txt$)"))
    const strict = createPolicy(
      rule("allow", "^((output|outputs|dist|build|out|public|artifacts)/)?(docs/|fine.txt$)"),
    )
    const start = { home: "/home/user" }
    for (const call of calls[name] ?? []) {
      const judge = (path: string) => policy.judge({ tool, input: call(path), start }).kind
      expect([judge("docs/x"), judge("./docs//x"), judge("x/../docs/x")]).toEqual([
        "allow",
        "allow",
        "allow",
      ])
      const verdict = (path: string) => strict.judge({ tool, input: call(path), start }).kind
      expect(verdict("docs/x")).toBe("allow")
      for (const fooling of [
        "docs/../.profile",
        "docs/../../x",
        "/docs/x",
        "docs/.././../etc",
        "../docs/x",
      ]) {
        expect([fooling, verdict(fooling)]).toEqual([fooling, "ask"])
      }
    }
  })

  it("Y8: the argument of its own name, too, and one that is no path stays as it is", () => {
    const when = (field: string, pattern: string) =>
      createPolicy({ tools: { rules: [{ deny: "*", when: { [field]: pattern } }] } })
    const judge = (policy: ReturnType<typeof when>, tool: string, input: object) =>
      policy.judge({ tool: named(tool), input }).kind
    const to = when("to", "^\\.profile$")
    expect(judge(to, "file.move", { from: "a", to: "x/../.profile" })).toBe("deny")
    expect(judge(to, "file.move", { from: ".profile", to: "a" })).toBe("allow")
    expect(judge(when("cwd", "^secret$"), "shell.exec", { command: "ls", cwd: "./secret/" })).toBe(
      "deny",
    )
    expect(judge(when("command", "^a/\\.\\./b$"), "shell.exec", { command: "a/../b" })).toBe("deny")
    expect(judge(when("path", "^/docs/"), "sandbox.browse", { port: 1, path: "/docs/x" })).toBe(
      "deny",
    )
  })

  it.each(["shell.exec", "process.start", "code.run"])(
    "Y8: a rule on the directory of %s judges where it starts without one, too",
    (name) => {
      const verdict = (when: string, start?: PathStart) =>
        createPolicy({ tools: { rules: [{ deny: name, when: { cwd: when } }] } }).judge({
          tool: named(name),
          input: { command: "ls" },
          start,
        }).kind
      expect(verdict("^\\.$")).toBe("deny")
      expect(verdict("^/home/user$")).toBe("deny")
      expect(verdict("^work$", { home: "/home/user", cwd: "/home/user/work" })).toBe("deny")
      expect(verdict("^\\.$", { home: "/home/user", cwd: "/home/user/work" })).toBe("allow")
    },
  )

  it("Y8: a list of paths is each of them, also where the tool only names the list", () => {
    const tool = defineTool({
      name: "deploy.pack",
      description: "Packs files.",
      input: {
        type: "object",
        properties: { files: { type: "array", items: { type: "string" } } },
        additionalProperties: false,
      } as const,
      pathArguments: ["files"],
      run: () => null,
    })
    const input = { files: ["fine", "a/../.env"] }
    for (const field of ["path", "files"]) {
      const policy = createPolicy({
        tools: { rules: [{ deny: "*", when: { [field]: "^\\.env$" } }] },
      })
      expect(policy.judge({ tool, input }).kind).toBe("deny")
    }
  })

  it("Y8: a tool of a program says which of its arguments are paths", () => {
    const tool = defineTool({
      name: "deploy.copy",
      description: "Copies files.",
      input: {
        type: "object",
        properties: {
          files: {
            type: "array",
            items: {
              type: "object",
              properties: { source: { type: "string" } },
              required: ["source"],
              additionalProperties: false,
            },
          },
        },
        additionalProperties: false,
      } as const,
      pathArguments: ["files[].source"],
      run: () => null,
    })
    const input = { files: [{ source: "fine" }, { source: "a/../.env" }] }
    for (const field of ["path", "files[].source"]) {
      const policy = createPolicy({
        tools: { rules: [{ deny: "deploy.*", when: { [field]: "^\\.env$" } }] },
      })
      expect(policy.judge({ tool, input }).kind).toBe("deny")
    }
    const { name, description, inputSchema } = tool as Tool
    const run = () => null
    expect(() =>
      defineTool({ name, description, input: inputSchema, run, pathArguments: ["files[].sorce"] }),
    ).toThrow('`pathArguments` names "files[].sorce", which is not an argument.')
  })
})

describe("a session judges paths from where its calls start", () => {
  const policy: PolicyConfig = {
    tools: { rules: [{ deny: "*", when: { path: "^\\.profile$" }, because: "Not the profile." }] },
  }
  const refused = { kind: "rejected", message: expect.stringContaining("Not the profile.") }

  it.each(["memory", "local"])("Y8: on the %s host, in each of its words", async (host) => {
    const directory = join(home, "work")
    await using keep = await openToolkeep({ host, home, directory, policy, dialect: "cloudflare" })
    const session = keep.session()
    const { cwd } = await session.workspace()
    const write = (path: string, options = {}) =>
      session.call("file.write", { path, content: "x" }, options)
    expect(await write("docs/fine.txt")).toMatchObject({ ok: true })
    for (const path of [
      ".profile",
      "docs/../.profile",
      "./.profile",
      `${cwd}/.profile`,
      `${cwd}//docs/../.profile/`,
    ]) {
      expect([path, await write(path)]).toEqual([path, expect.objectContaining(refused)])
    }
    expect(await write("../.profile", { cwd: "docs" })).toMatchObject(refused)
    expect(await write(".profile", { cwd: "docs" })).toMatchObject({ ok: true })
    const patch = diff("docs/../.profile")
    expect(await session.call("file.patch", { patch })).toMatchObject(refused)
    const answer = await session.start("write_file", {
      path: `${cwd}/docs/../.profile`,
      content: "x",
    }).envelope
    expect(answer).toMatchObject({ kind: "rejected" })
    await session.destroy()
  })

  it.each(["memory", "local"])(
    "Y8: on the %s host, a transfer is judged in both sandboxes, from where its paths start",
    async (host) => {
      const directory = join(home, "transfer")
      await using keep = await openToolkeep({ host, home, directory, policy })
      const session = keep.session("transfer")
      const first = await session.workspace()
      await first.writeFile(".profile", "secret")
      await first.writeFile("docs/.profile", "fine")
      const other = await session.workspace("other")
      await other.writeFile(".profile", "secret")
      type Ends = readonly [sandbox: string, path: string]
      const move = (from: Ends, to: Ends, options = {}) => {
        const [[from_sandbox, from_path], [to_sandbox, to_path]] = [from, to]
        const input = { from_sandbox, from_path, to_sandbox, to_path }
        return session.call("sandbox.transfer", input, options)
      }
      for (const cwd of [undefined, "docs"]) {
        for (const [sandbox, at] of [["default", first] as const, ["other", other] as const]) {
          for (const path of [".profile", "docs/../.profile", `${at.cwd}/.profile`]) {
            expect(await move([sandbox, path], ["third", "x"], { cwd })).toMatchObject(refused)
            expect(await move(["default", "docs"], [sandbox, path], { cwd })).toMatchObject(refused)
          }
        }
        const fine = await move(["default", "docs/.profile"], ["other", "docs/.profile"], { cwd })
        expect(fine).toMatchObject({
          ok: true,
          result: { from_path: `${first.cwd}/docs/.profile` },
        })
      }
      expect(await move(["nobody", "x"], ["other", "x"])).toMatchObject({ kind: "not_found" })
      await session.destroy()
    },
  )
})

describe("a rule on the sandbox judges the one that a call is for, named or not", () => {
  it("Y8: the default one, and the one that the caller chose", async () => {
    const when = { sandbox: "^(default|production)$" }
    const config: PolicyConfig = { tools: { rules: [{ deny: "*", when }] } }
    await using keep = await openToolkeep({ host: "memory", home, policy: config })
    const session = keep.session("sandboxes")
    const run = (input: object, options = {}) =>
      session.call("shell.exec", { command: "echo ran", ...input }, options)
    const denied = { kind: "rejected" }
    expect(await run({})).toMatchObject(denied)
    expect(await run({ sandbox: "" })).toMatchObject(denied)
    expect(await run({ sandbox: "default" })).toMatchObject(denied)
    expect(await run({}, { sandbox: "production" })).toMatchObject(denied)
    expect(await run({ sandbox: "production" }, { sandbox: "scratch" })).toMatchObject(denied)
    expect(await run({}, { sandbox: "scratch" })).toMatchObject({ ok: true })
    expect(await run({ sandbox: "scratch" })).toMatchObject({ ok: true })
    expect(await session.call("system.info")).toMatchObject({ ok: true })
  })
})
