import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bubblewrapHost, type Host, localHost, memoryHost } from "../sandbox/index.ts"
import { conformanceChecks, runConformance } from "./index.ts"

const allowLists = ["allow-list", "decisions", "private", "direct", "change", "malformed"].map(
  (name) => `network.${name}`,
)

/** What the suite found: the broken promises with what was measured, and those that are not made. */
async function measure(host: Host): Promise<{ broken: string[]; notPromised: string[] }> {
  const { checks } = await runConformance(host)
  expect(checks.map(({ id }) => id)).toEqual(conformanceChecks.map(({ id }) => id))
  return {
    broken: checks.filter(({ kept }) => kept === false).map(({ id, how }) => `${id}: ${how}`),
    notPromised: checks.filter(({ kept }) => kept === null).map(({ id }) => id),
  }
}

function idsOf(topic: string): string[] {
  return conformanceChecks.map(({ id }) => id).filter((id) => id.startsWith(`${topic}.`))
}

describe("the conformance suite", () => {
  it("F10, F11, F14, F18, F19, F21: the local host keeps every promise it makes", async () => {
    const base = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
    try {
      const host = localHost({ directoryFor: (name) => join(base, name) })
      expect(await measure(host)).toEqual({
        broken: [],
        notPromised: [
          ...["links.outside-directory", "network.none", ...allowLists],
          ...["limits.memory", "limits.processes", "limits.disk"],
          ...idsOf("snapshots"),
        ],
      })
    } finally {
      await rm(base, { recursive: true, force: true })
    }
  }, 120_000)

  it("F10, F11, F14, F18, F19, F21, Y12: the bubblewrap host keeps every promise it makes", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
    await chmod(directory, 0o755)
    try {
      const host = bubblewrapHost({ directory })
      expect(await host.probe(), "bubblewrap is needed: apt-get install bubblewrap").toEqual({
        kind: "ready",
      })
      expect(await measure(host)).toEqual({ broken: [], notPromised: ["process-groups.destroy"] })
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }, 120_000)

  it("F10, F11, F14, F15, F18, F19, F21: the memory host keeps every promise it makes", async () => {
    expect(await measure(memoryHost())).toEqual({
      broken: [],
      notPromised: [
        "exit-codes.killed",
        "exit-codes.terminated",
        "live-output.while-it-runs",
        "live-output.complete",
        "live-output.never-late",
        "timeouts.stubborn",
        "timeouts.output-kept",
        "idle-timeouts.silence",
        "idle-timeouts.reset",
        "idle-timeouts.stderr-counts",
        "idle-timeouts.work-stops",
        "idle-timeouts.far",
        "idle-timeouts.with-deadline",
        "process-groups.deadline",
        "process-groups.abort",
        "process-groups.stubborn",
        "process-groups.setsid",
        "process-groups.setsid-abort",
        "process-groups.held-pipe",
        "process-groups.held-pipe-deadline",
        "process-groups.destroy",
        "fresh-commands.umask",
        "file-failures.special-file",
        "listing.other",
        ...allowLists,
        ...idsOf("background"),
        ...idsOf("ports"),
        "sleep.processes",
        "limits.processes",
        ...idsOf("snapshots"),
      ],
    })
  }, 180_000)

  it("F21: every check has an id of its own and a promise that reads as a sentence", () => {
    const ids = conformanceChecks.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
    const odd = conformanceChecks.filter(({ promise }) => !/^[a-z0-9].{15,140}[^.]$/.test(promise))
    expect(odd.map(({ promise }) => promise)).toEqual([])
  })
})
