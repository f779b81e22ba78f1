import { describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"

/** Where every sandbox has files of its own. */
const apart = benches.filter(({ host }) => host !== "local")
const [bubblewrap] = benches.filter(({ host }) => host === "bubblewrap")
if (!bubblewrap) throw new Error("there is no bubblewrap bench")

describe.each(apart)("sandboxes on the $host host", ({ host, open }) => {
  it("C7.created, C7.again: are created once, and say whether they were", async () => {
    await using bench = await open()
    const image = host === "memory" ? "virtual" : "host"
    const made = { image, status: "running", network: "none", sleep_after_ms: 600_000 }
    expect(await bench.call("sandbox.create", { sandbox: "build" })).toEqual({
      ok: true,
      tool: "sandbox.create",
      result: { kind: "sandbox", sandbox: "build", created: true, ...made },
    })
    const input = { sandbox: "build", image, sleep_after_ms: 60_000 }
    expect(await bench.call("sandbox.create", input)).toEqual({
      ok: true,
      tool: "sandbox.create",
      result: { kind: "sandbox", sandbox: "build", created: false, ...made },
      warnings: ["It already existed and sleeps after 600000 ms."],
    })
    expect(await bench.call("sandbox.create", { sandbox: "x", image: "nowhere:1" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      field: "image",
      expected: `one of "${image}" (Without it, "${image}")`,
    })
    const limits = { memory_bytes: 64 * 1024 ** 2 }
    expect(await bench.call("sandbox.create", { sandbox: "build", limits })).toMatchObject({
      ok: false,
      message: 'The sandbox "build" exists and has another limit of memoryBytes.',
      field: "limits",
    })
    expect(await bench.call("sandbox.create", { sandbox: "small", limits })).toMatchObject({
      result: { created: true },
    })
    const { can } = await bench.sandboxes.workspace("small")
    expect(can.limits.memoryBytes).toBe(limits.memory_bytes)
    const greedy = { sandbox: "large", limits: { memory_bytes: 1024 ** 4 } }
    expect(await bench.call("sandbox.create", greedy)).toMatchObject({ kind: "invalid_args" })
  }, 120_000)

  it("C8.status, C9.tree, C9.bytes: are listed, hand files to each other, and are destroyed", async () => {
    await using bench = await open()
    await bench.call("file.write", { path: "dist/a.txt", content: "hello", sandbox: "front" })
    await bench.call("file.write", { path: "dist/b/c.txt", content: "you", sandbox: "front" })
    const places = { from_sandbox: "front", from_path: "dist", to_sandbox: "back", to_path: "www" }
    expect(await bench.call("sandbox.transfer", places)).toMatchObject({
      ok: false,
      kind: "invalid_args",
      field: "recursive",
    })
    const home = bench.workspace.cwd
    expect(await bench.call("sandbox.transfer", { ...places, recursive: true })).toEqual({
      ok: true,
      tool: "sandbox.transfer",
      result: {
        kind: "transfer",
        ...places,
        from_path: `${home}/dist`,
        to_path: `${home}/www`,
        bytes: 8,
      },
    })
    const file = { path: "www/b/c.txt", sandbox: "back" }
    expect(resultOf(await bench.call("file.read", file))).toMatchObject({ text: "you" })

    const listed = await bench.call("sandbox.list", {})
    expect(resultOf(listed)).toMatchObject({
      kind: "sandboxes",
      sandboxes: [
        { name: "default", status: "running" },
        { name: "front", status: "running" },
        { name: "back", status: "running", sleep_after_ms: 600_000 },
      ],
    })
    await bench.sandboxes.sleep("back")
    expect(resultOf(await bench.call("sandbox.list", {}))).toMatchObject({
      sandboxes: [{}, {}, { name: "back", status: "sleeping" }],
    })
    expect(resultOf(await bench.call("sandbox.destroy", { sandbox: "front" }))).toEqual({
      kind: "sandbox",
      sandbox: "front",
      destroyed: true,
    })
    expect(bench.sandboxes.list().map(({ name }) => name)).toEqual(["default", "back"])
  }, 120_000)

  it("C9: a transfer refuses what is not there or not inside, and says which argument", async () => {
    await using bench = await open()
    await bench.call("file.write", { path: "a.txt", content: "a", sandbox: "one" })
    const places = { from_sandbox: "one", from_path: "a.txt", to_sandbox: "two", to_path: "b.txt" }
    const attempt = (change: object) => bench.call("sandbox.transfer", { ...places, ...change })
    expect(await attempt({ from_sandbox: "none" })).toMatchObject({
      kind: "not_found",
      message: 'There is no sandbox "none".',
      field: "from_sandbox",
      expected: "one of default, one",
    })
    expect(await attempt({ from_path: "/etc/../../x" })).toMatchObject({
      kind: "invalid_args",
      field: "from_path",
    })
    expect(await attempt({ to_path: "/etc/passwd" })).toMatchObject({
      kind: "invalid_args",
      field: "to_path",
    })
    expect(await attempt({ from_path: "missing.txt" })).toMatchObject({ kind: "not_found" })
    expect(await attempt({ from_sandbox: "No good" })).toMatchObject({
      kind: "not_found",
      field: "from_sandbox",
    })
    for (const [tool, input, field] of [
      ["sandbox.transfer", { ...places, to_sandbox: "No good" }, "to_sandbox"],
      ["sandbox.create", { sandbox: "No good" }, "sandbox"],
      ["file.list", { sandbox: "../x" }, "sandbox"],
    ] as const) {
      expect(await bench.call(tool, input)).toMatchObject({
        ...{ kind: "invalid_args", field },
        expected: 'lower-case letters, digits, "-" and "_", such as "build"; at most 63',
      })
    }
    expect(await bench.call("sandbox.destroy", { sandbox: "none" })).toMatchObject({
      kind: "not_found",
      field: "sandbox",
    })
  }, 120_000)
})

describe("sandboxes that can be held as they are", () => {
  it("F21, C9: a snapshot starts others, a fork is a second one", async () => {
    await using bench = await bubblewrap.open()
    const write = (sandbox: string, content: string) =>
      bench.call("file.write", { path: "note.txt", content, sandbox })
    const noteIn = async (sandbox: string) =>
      resultOf(await bench.call("file.read", { path: "note.txt", sandbox }))
    await write("base", "first")
    const { snapshot } = resultOf(await bench.call("sandbox.snapshot", { sandbox: "base" }))
    await write("base", "second")
    const copy = { sandbox: "copy", from: snapshot }
    expect(await bench.call("sandbox.create", copy)).toMatchObject({ result: { created: true } })
    expect(await noteIn("copy")).toMatchObject({ text: "first" })
    expect(await bench.call("sandbox.create", copy)).toMatchObject({
      kind: "invalid_args",
      message: 'There is a sandbox "copy" already.',
    })
    expect(resultOf(await bench.call("sandbox.fork", { sandbox: "base", to: "try" }))).toEqual({
      kind: "sandbox",
      sandbox: "try",
      created: true,
      from_sandbox: "base",
      ...{ image: "host", status: "running", network: "none", sleep_after_ms: 600_000 },
    })
    await write("try", "third")
    expect([await noteIn("base"), await noteIn("try")]).toMatchObject([
      { text: "second" },
      { text: "third" },
    ])
    expect(await bench.call("sandbox.fork", { sandbox: "base", to: "copy" })).toMatchObject({
      kind: "invalid_args",
      field: "to",
    })
    expect(await bench.call("sandbox.fork", { sandbox: "none", to: "new" })).toMatchObject({
      kind: "not_found",
      field: "sandbox",
    })
    await requireOwnSnapshotsOnly(bench, snapshot)
  }, 120_000)
})

/** Another session's snapshot is there for the host and not for the model. */
async function requireOwnSnapshotsOnly(bench: ToolBench, own: string): Promise<void> {
  const foreign = await bench.sandboxes.snapshot("base")
  expect(await bench.call("sandbox.create", { sandbox: "spy", from: foreign })).toMatchObject({
    kind: "not_found",
    message: `This session has no snapshot "${foreign}".`,
    field: "from",
    expected: `one of ${own}`,
  })
  const { host } = bench.sandboxes
  await host.removeSnapshot(foreign)
  await bench.sandboxes.destroy()
  await expect(host.removeSnapshot(own)).rejects.toThrow("There is no snapshot")
}

describe("the network that a call may ask for", () => {
  const kindsOf = (bench: ToolBench) => {
    const tool = bench.tools.find(({ name }) => name === "sandbox.create")
    const network = tool?.inputSchema.properties?.network
    return { kinds: network?.properties?.kind?.enum, effects: tool?.effects }
  }

  it("C18.restrict: is some domains, within those of the session, and never this machine's whole network", async () => {
    const settings = {
      network: { reach: "allow-list", allow: ["*.example.org", "a.example"] },
    } as const
    await using bench = await bubblewrap.open({ settings })
    expect(kindsOf(bench)).toEqual({
      kinds: ["none", "allow-list"],
      effects: ["execute", "network"],
    })
    const attempt = (sandbox: string, network: object) =>
      bench.call("sandbox.create", { sandbox, network })
    const domains = ["packages.example.org", "*.cdn.example.org", "a.example:443"]
    expect(await attempt("web", { kind: "allow-list", domains })).toMatchObject({
      result: { created: true, network: "allow-list" },
    })
    expect(
      await attempt("web", { kind: "allow-list", domains: [...domains].reverse() }),
    ).toMatchObject({ result: { created: false } })
    expect(await attempt("web", { kind: "allow-list", domains: ["a.example"] })).toMatchObject({
      kind: "invalid_args",
      field: "network",
      message: 'The sandbox "web" exists and has other domains on its allow-list.',
    })
    for (const beyond of [
      "example.org",
      "x.a.example",
      "*.cdn.example",
      "a.example:22",
      "*.a.example",
    ]) {
      expect(await attempt("more", { kind: "allow-list", domains: [beyond] })).toMatchObject({
        kind: "rejected",
        message: `"${beyond}" is not on the allow-list of this session's network, as network.reach in toolkeep.yaml (in a program, its settings) says.`,
        field: "network.domains",
      })
    }
    const wrong = { kind: "invalid_args" }
    expect(await attempt("more", { kind: "allow-list" })).toMatchObject(wrong)
    expect(await attempt("more", { kind: "none", domains })).toMatchObject(wrong)
    expect(await attempt("more", { kind: "full" })).toMatchObject({
      kind: "rejected",
      field: "network",
      message: expect.stringContaining('at most "allow-list", as network.reach in toolkeep.yaml'),
    })
    expect(await attempt("more", { kind: "allow-list", domains: ["http://a/"] })).toMatchObject(
      wrong,
    )
  }, 120_000)

  it("C18: is nothing where the session's network is nothing", async () => {
    await using closed = await bubblewrap.open({ settings: { network: { reach: "none" } } })
    expect(kindsOf(closed)).toEqual({ kinds: undefined, effects: ["execute"] })
    const input = { sandbox: "web", network: { kind: "allow-list", domains: ["a.example"] } }
    expect(await closed.call("sandbox.create", input)).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining('at most "none", as network.reach in toolkeep.yaml'),
    })
  })
})
