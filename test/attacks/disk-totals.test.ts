import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Envelope } from "../../src/contract/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../../src/session/index.ts"

const mebibyte = 1024 ** 2

async function open(options: Partial<ToolkeepOptions>) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-totals-"))
  chmodSync(home, 0o755)
  const keep = await openToolkeep({ host: "bubblewrap", home, ...options })
  onTestFinished(async () => {
    await keep.close()
    rmSync(home, { recursive: true, force: true })
  })
  return { keep, session: keep.session("crowded") }
}

function messageOf(envelope: Envelope): string {
  return envelope.ok ? "ok" : envelope.message
}

const sessionFull = /session's sandboxes, snapshots and shared files take all of the 30 MiB/

describe("the disk of a whole session", () => {
  it("O30: many sandboxes, each far below its own limit, are held to the session's total", async () => {
    const { session } = await open({ disk: { sessionBytes: 30 * mebibyte } })
    const names = Array.from({ length: 8 }, (_, index) => `part${index}`)
    const write = {
      command: "for i in $(seq 1 10); do head -c 1M /dev/zero >f$i; sleep 0.1; done; sleep 3",
    }
    const answers = await Promise.all(
      names.map((sandbox) => session.call("shell.exec", { ...write, sandbox, timeout_ms: 20_000 })),
    )
    expect(answers.map(messageOf).filter((message) => sessionFull.test(message))).not.toEqual([])
    const used = session.sandboxes.disk.used()
    expect(used).toBeLessThan(90 * mebibyte)
    const refused = await Promise.all([
      session.call("sandbox.create", { sandbox: "another" }),
      session.call("artifact.share", { content: "x".repeat(1000), filename: "more.txt" }),
      session.call("sandbox.snapshot", { sandbox: "part0" }),
      session.call("file.write", { path: "more", content: "x", sandbox: "part1" }),
    ])
    for (const answer of refused) expect(messageOf(answer)).toMatch(sessionFull)
    for (const sandbox of names.slice(1)) await session.call("sandbox.destroy", { sandbox })
    expect(await session.call("sandbox.create", { sandbox: "another" })).toMatchObject({ ok: true })
  }, 120_000)

  it("O22, O30: artifacts count, together and while they are written, and go back when they are removed", async () => {
    const { session } = await open({ disk: { sessionBytes: 30 * mebibyte } })
    await session.call("shell.exec", { command: "head -c 12M /dev/urandom >file" })
    const share = () => session.call("artifact.share", { path: "file" })
    // What the sandbox itself takes is known once it was measured.
    const answers = await Promise.all([share(), share(), share(), share()])
    expect(answers.map(messageOf).filter((message) => sessionFull.test(message))).not.toEqual([])
    const kept = await session.artifacts.list()
    expect(kept.length).toBeLessThan(3)
    for (const { id } of kept) await session.artifacts.remove(id)
    expect(messageOf(await share())).toBe("ok")
  }, 120_000)

  it("O30: all that a Toolkeep keeps has a total of its own, which says how to clean", async () => {
    const { keep, session } = await open({ disk: { totalBytes: 40 * mebibyte } })
    await session.call("shell.exec", { command: "head -c 30M /dev/urandom >file" })
    // What the sandbox itself takes is known once it was measured: other tests change what is free of the disk too.
    const measured = async () => {
      await session.sandboxes.usage("default")
      return session.sandboxes.disk.used()
    }
    await expect.poll(measured).toBeGreaterThan(29 * mebibyte)
    const artifact = await session.call("artifact.share", { path: "file" })
    expect(messageOf(artifact)).toMatch(/All that Toolkeep keeps takes the 40 MiB .*toolkeep clean/)
    expect(await keep.session("other").call("shell.exec", { command: "echo x" })).toMatchObject({
      ok: true,
    })
  }, 120_000)
})
