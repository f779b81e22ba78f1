import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { CallEffects, ChangedFile } from "../../src/contract/index.ts"
import { openToolkeep, type Session, type ToolkeepOptions } from "../../src/session/index.ts"
import type { RecordReader } from "../../src/store/index.ts"

async function open(options: ToolkeepOptions = {}): Promise<Session> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-effects-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  const keep = await openToolkeep({
    ...{ host: "bubblewrap", home, record: true, effects: true, ...options },
  })
  onTestFinished(async () => {
    await keep.close()
    rmSync(home, { recursive: true, force: true })
  })
  return keep.session("work")
}

/** What one call did. */
async function effectsOf(session: Session, command: string): Promise<CallEffects> {
  const found: CallEffects[] = []
  const stop = session.listen((event) => {
    if (event.kind === "call-effects") found.push(event.effects)
  })
  const envelope = await session.call("shell.exec", { command })
  stop()
  expect(envelope.ok, JSON.stringify(envelope)).toBe(true)
  expect(found).toHaveLength(1)
  return found[0] as CallEffects
}

const paths = (effects: CallEffects, kind: "created" | "changed" | "removed") => {
  if ("unknown" in effects.files) throw new Error(effects.files.unknown)
  return effects.files[kind].first.map(({ path }) => path)
}

/** The texts that an entry names by their hashes, in its order. */
async function recordedTexts(
  record: RecordReader | undefined,
  body: unknown,
): Promise<readonly (string | null)[]> {
  const hashes = [...JSON.stringify(body).matchAll(/"hash":"(\w+)"/g)].map(([, hash = ""]) => hash)
  return Promise.all(hashes.map(async (hash) => (await record?.text(hash)) ?? null))
}

const nothing = { count: 0, first: [] }

const textOrWhy = (found: ChangedFile["before"]) => {
  if (!found) return ""
  if ("text" in found) return found.text
  return (
    /not text|more than \d+ bytes|secrets|other names/.exec(found.unknown)?.[0] ?? found.unknown
  )
}

/** Where not all could be looked at, and nothing in a list is only what nobody looked at. */
function saysWhy({ files }: CallEffects): string {
  return "unknown" in files ? files.unknown : (files.incomplete ?? "it knows")
}

describe("what a call did", () => {
  it("F20, O24: files, processes, memory and network of a call are in its events and its record, between its start and its envelope", async () => {
    const session = await open()
    await effectsOf(session, "mkdir d; echo one > d/a; echo two > b; ln -s b link")
    const effects = await effectsOf(
      session,
      "echo more >> b; rm d/a; mkdir e; echo new > e/c; touch t; rm t; sleep 1000 & true",
    )
    expect(effects).toEqual({
      ...{ sandbox: "default", shared: [] },
      files: {
        below: "/home/user",
        created: {
          count: 2,
          first: [
            { path: "e", type: "directory", bytes: null },
            { path: "e/c", type: "file", bytes: 4, after: { text: "new\n" } },
          ],
        },
        changed: {
          count: 1,
          first: [
            {
              ...{ path: "b", type: "file", bytes: 9 },
              ...{ before: { text: "two\n" }, after: { text: "two\nmore\n" } },
            },
          ],
        },
        removed: {
          count: 1,
          first: [{ path: "d/a", type: "file", bytes: 4, before: { text: "one\n" } }],
        },
      },
      network: { reached: nothing, refused: { unknown: expect.stringContaining("no network") } },
      processes: { count: 1, first: [{ pid: expect.any(Number), command: "sleep 1000" }] },
      memory: { peak: expect.any(Number), since: expect.any(Number) },
      output: { cut: 0 },
    })
    const record = await session.record?.()
    const entries = (await record?.entries()) ?? []
    const ofCalls = entries.filter(({ kind }) => kind !== "sandbox")
    expect(ofCalls.map(({ kind }) => kind)).toEqual([
      ...["call", "call-effects", "envelope"],
      ...["call", "call-effects", "envelope"],
    ])
    const { files, ...others } = effects
    expect(ofCalls[4]?.body).toMatchObject({ ...others, call: expect.stringMatching(/^call_/) })
    expect(await recordedTexts(record, ofCalls[4]?.body)).toEqual([
      ...["new\n", "two\n", "two\nmore\n", "one\n"],
    ])
  })

  it("F20: a directory that is removed and made again, and one that is moved, are told with all that is in them", async () => {
    const session = await open()
    await effectsOf(session, "mkdir -p d/deep; echo 1 > d/deep/a; mkdir m; echo 2 > m/b")
    const effects = await effectsOf(session, "rm -r d; mkdir d; echo 3 > d/new; mv m n")
    expect(paths(effects, "created")).toEqual(["d/new", "n", "n/b"])
    expect(paths(effects, "removed")).toEqual(["d/deep", "d/deep/a", "m", "m/b"])
    expect(paths(await effectsOf(session, "echo 4 > d/new; echo 5 > n/b"), "changed")).toEqual([
      ...["d/new", "n/b"],
    ])
  })

  it("F20, O24: the text before and after is true, or it is said why it is not known; secrets are in no record", async () => {
    const session = await open()
    const texts = async (command: string) => {
      const { files } = await effectsOf(session, command)
      if ("unknown" in files) throw new Error(files.unknown)
      const all = [...files.created.first, ...files.changed.first, ...files.removed.first]
      return Object.fromEntries(
        all.map(({ path, before, after }) => [path, [before, after].map(textOrWhy)]),
      )
    }
    expect(
      await texts(
        "echo one > a; printf '\\0\\1' > raw; yes | head -c 300000 > long; (umask 077; echo k > closed); mkdir .ssh; echo hidden > .ssh/config; echo KEY=hidden > .env; printf -- '-----BEGIN RSA PRIVATE KEY-----\\nhidden' > copy; mkfifo pipe; ln -s /etc/passwd link; echo 1 > h1; ln h1 h2",
      ),
    ).toEqual({
      ...{ a: ["", "one\n"], raw: ["", "not text"], long: ["", "more than 262144 bytes"] },
      ...{ closed: ["", "secrets"], ".ssh": ["", ""], ".ssh/config": ["", "secrets"] },
      ...{ ".env": ["", "secrets"], copy: ["", "secrets"], pipe: ["", ""], link: ["", ""] },
      ...{ h1: ["", "other names"], h2: ["", "other names"] },
    })
    // What changes between two calls is no change of the second.
    await (await session.workspace()).writeFile("a", "between\n")
    expect(await texts("echo two >> a; chmod +x raw")).toEqual({
      ...{ a: ["between\n", "between\ntwo\n"], raw: ["not text", "not text"] },
    })
    // A sandbox that slept is looked at from the start, and so are its files.
    await session.sandboxes.sleep("default")
    expect(await texts("mv a b; echo three >> b")).toEqual({
      ...{ a: ["between\ntwo\n", ""], b: ["", "between\ntwo\nthree\n"] },
    })
    const record = await session.record?.()
    expect(JSON.stringify(await record?.entries())).not.toMatch(/"(?:text|hash)":"[^"]*hidden/)
  })

  it("F20: what a tool has read itself is what was there before it, where nobody else knows", async () => {
    const session = await open()
    // More files than are read at first are above these.
    await effectsOf(
      session,
      "mkdir d; for i in $(seq 1000); do echo > $i; echo line $i > d/$i; done",
    )
    await session.sandboxes.sleep("default")
    const seen: CallEffects[] = []
    session.listen((event) => {
      if (event.kind === "call-effects") seen.push(event.effects)
    })
    // The names of so many may be read over several calls.
    const isKnown = () => seen.some(({ files }) => "changed" in files)
    for (let i = 1; i < 900 && !isKnown(); i += 1) {
      const edits = [{ search: "line", replace: "edited" }]
      expect(await session.call("file.edit", { path: `d/${i}`, edits })).toMatchObject({ ok: true })
    }
    const { files } = seen.at(-1) as CallEffects
    const i = seen.length
    expect(files).toMatchObject({
      changed: { first: [{ before: { text: `line ${i}\n` }, after: { text: `edited ${i}\n` } }] },
    })
    await session.call("shell.exec", { command: "echo more >> d/1000" })
    expect(seen.at(-1)?.files).toMatchObject({
      changed: { first: [{ before: { unknown: "nobody had read it before the call" } }] },
    })
  })

  it("F20: more names than the kernel's events are followed for are found by looking, and a call that changes nothing has nothing", async () => {
    const session = await open()
    await effectsOf(session, "mkdir many; cd many; for i in {1..600}; do echo $i > $i; done")
    const { files } = await effectsOf(
      session,
      // A call that takes longer is looked at for longer: a busy machine has the time for all of them.
      "cd many; for i in {1..600}; do echo >> $i; done; rm 7; sleep 5",
    )
    expect(files).toMatchObject({
      changed: { count: 599 },
      removed: { count: 1 },
      created: nothing,
    })
    const quiet = await effectsOf(session, "cat many/9")
    expect(quiet.files).toEqual({
      ...{ below: "/home/user", created: nothing, changed: nothing, removed: nothing },
    })
  })

  it("F20, O34.cut: says how many bytes of the output were cut", async () => {
    const session = await open()
    const printed = "seq 100000"
    const envelope = await session.call("shell.exec", { command: printed })
    const stdout = envelope.ok && "stdout" in envelope.result ? envelope.result.stdout : ""
    const note = Number(/\[\.\.\. (\d+) bytes left out \.\.\.\]/.exec(stdout)?.[1])
    expect((await effectsOf(session, printed)).output).toEqual({ cut: note })
  })

  it("F20: two calls at once in one sandbox say so", async () => {
    const session = await open()
    await effectsOf(session, "true")
    const seen: CallEffects[] = []
    session.listen((event) => {
      if (event.kind === "call-effects") seen.push(event.effects)
    })
    // Each waits for the other's file.
    const waits = (own: string, other: string) =>
      session.start("shell.exec", {
        command: `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done`,
      })
    const [one, two] = [waits("a", "b"), waits("b", "a")]
    await Promise.all([one.envelope, two.envelope])
    expect(seen.map(({ shared }) => shared).sort()).toEqual([[one.id], [two.id]].sort())
    expect(seen.map((effects) => paths(effects, "created"))).toEqual([
      ...[
        ["a", "b"],
        ["a", "b"],
      ],
    ])
  })

  it("F20: hosts that were reached and refused are named with the rule", async () => {
    const session = await open({ network: { kind: "allow-list", domains: ["localhost.invalid"] } })
    const { network } = await effectsOf(session, "curl -s http://example.com/ >/dev/null; true")
    expect(network).toMatchObject({
      reached: nothing,
      refused: { count: 1, first: [{ target: "example.com", port: 80 }] },
    })
  })

  it("F20: the memory host knows its files, and says why it does not know the memory", async () => {
    const session = await open({ host: "memory" })
    await effectsOf(session, "echo a > a; echo b > b")
    const effects = await effectsOf(session, "echo c > c; echo more >> a; rm b")
    expect(paths(effects, "created")).toEqual(["c"])
    expect(paths(effects, "changed")).toEqual(["a"])
    expect(paths(effects, "removed")).toEqual(["b"])
    expect(effects).toMatchObject({ processes: nothing, memory: { unknown: expect.any(String) } })
    expect(effects.files).toMatchObject({
      changed: { first: [{ before: { text: "a\n" }, after: { text: "a\nmore\n" } }] },
      removed: { first: [{ before: { text: "b\n" } }] },
    })
  })

  it("F20: the files of a fork, whose home has layers, are seen as processes inside see them", async () => {
    const session = await open()
    await effectsOf(session, "echo 1 > below; echo 2 > gone")
    await session.sandboxes.fork("default", "copy")
    const seen: CallEffects[] = []
    session.listen((event) => {
      if (event.kind === "call-effects") seen.push(event.effects)
    })
    const command = "echo more >> below; rm gone; echo new > added"
    await session.call("shell.exec", { command, sandbox: "copy" })
    const [effects] = seen as [CallEffects]
    expect(effects.sandbox).toBe("copy")
    expect(paths(effects, "created")).toEqual(["added"])
    expect(paths(effects, "changed")).toEqual(["below"])
    expect(paths(effects, "removed")).toEqual(["gone"])
  })

  it("F20: without the option there is no such event, and tools that only read have none", async () => {
    const session = await open()
    const plain = await open({ effects: false })
    const kinds: string[] = []
    for (const one of [session, plain]) one.listen(({ kind }) => kinds.push(kind))
    await plain.call("shell.exec", { command: "echo a > a" })
    await session.call("file.list", { path: "." })
    expect(kinds).toContain("call-ended")
    expect(kinds).not.toContain("call-effects")
  })
})

describe("attacks on the look at what a call did", () => {
  it("F20: names with line ends, escape sequences, bidirectional marks and bytes that are no text are listed and change nothing else", async () => {
    const session = await open()
    const effects = await effectsOf(
      session,
      String.raw`touch $'line\nend' $'\e[31mred' $'\u202egnp.exe' $'\xff\xfe'; mkdir $'d\n'; touch $'d\n/in'`,
    )
    expect(paths(effects, "created").sort()).toEqual(
      ["line\nend", "\u001b[31mred", "\u202egnp.exe", "\ufffd\ufffd", "d\n", "d\n/in"].sort(),
    )
  })

  it("F20: a link that leads out of the home is a link, and nothing behind it is looked at", async () => {
    const session = await open()
    await effectsOf(session, "mkdir d; ln -s /usr usr; ln -s / d/root")
    const effects = await effectsOf(session, "rm -r d; ln -s /etc d; echo > /tmp/elsewhere")
    expect(paths(effects, "removed")).toEqual(["d/root"])
    expect(paths(effects, "changed")).toEqual(["d"])
    expect(paths(effects, "created")).toEqual([])
  })

  it("F20: a home with 200,000 files is given up on with the reason, and calls go on", async () => {
    const session = await open()
    const many = await effectsOf(session, "mkdir d; cd d; seq 200000 | xargs touch")
    expect(saysWhy(many)).toMatch(/more than 20,000 files and directories|more had changed/)
    const later = await effectsOf(session, "echo x > y")
    expect(saysWhy(later)).toMatch(/more than 20,000 files and directories/)
  }, 120_000)

  it("F20: files that change all the time while it looks end neither the call nor the look", async () => {
    const session = await open()
    const storm =
      "for i in {1..8}; do (while :; do echo x > f$i; mv f$i g$i; rm g$i; done) & done; true"
    const { processes } = await effectsOf(session, storm)
    expect("count" in processes ? processes.count : processes).toBeGreaterThanOrEqual(8)
    const effects = await effectsOf(session, "mkdir -p own; echo 1 > own/file")
    const isKnown = saysWhy(effects) === "it knows"
    expect(isKnown ? paths(effects, "created") : ["own/file"]).toContain("own/file")
  })

  it("F20: a directory that is replaced by a link, while the local host works in it, is not followed", async () => {
    const work = mkdtempSync(join(tmpdir(), "toolkeep-replaced-"))
    onTestFinished(() => rmSync(work, { recursive: true, force: true }))
    const directory = join(work, "project")
    const outside = join(work, "outside")
    for (const made of [directory, outside]) mkdirSync(made)
    writeFileSync(join(outside, "secret"), "")
    const session = await open({ host: "local", directory })
    await effectsOf(session, "echo 1 > a")
    renameSync(directory, join(work, "moved"))
    symlinkSync(outside, directory)
    const call = session.start("shell.exec", { command: "touch b" })
    const seen: CallEffects[] = []
    session.listen((event) => {
      if (event.kind === "call-effects") seen.push(event.effects)
    })
    await call.envelope
    expect(JSON.stringify(seen)).not.toContain("secret")
    expect(seen.map(saysWhy)).not.toContain("it knows")
  })
})

it("X7: a file that is closed to others stays out of the record, also where a tool reads and moves it", async () => {
  const session = await open()
  await effectsOf(
    session,
    "umask 077; printf 'hunter2\\none\\ntwo\\n' > notes; umask 022; echo 1 > plain",
  )
  const found: CallEffects[] = []
  session.listen((event) => {
    if (event.kind === "call-effects") found.push(event.effects)
  })
  const patch = [
    "diff --git a/notes b/other",
    "rename from notes",
    "rename to other",
    "--- a/notes",
    "+++ b/other",
    "@@ -2,2 +2,2 @@",
    " one",
    "-two",
    "+2",
    "",
  ].join("\n")
  expect(await session.call("file.patch", { patch })).toMatchObject({ ok: true })
  expect(found).toHaveLength(1)
  expect(JSON.stringify(found)).toContain('"notes"')
  expect(JSON.stringify(found)).not.toContain("hunter2")
})
