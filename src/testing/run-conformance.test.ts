import { describe, expect, it } from "vitest"
import type { Capabilities } from "../contract/index.ts"
import { adaptHost, type Host, type Sandbox } from "../sandbox/index.ts"
import {
  type ConformanceCheck,
  ConformanceFailure,
  runConformance,
  runConformanceCheck,
} from "./index.ts"

const { can } = adaptHost({
  name: "paper",
  summary: "Does nothing.",
  home: "/home",
  can: { isolation: "virtual" },
  create: () => Promise.reject(new Error("paper does nothing")),
})

/** A host whose sandboxes do nothing but count how many of them live. */
function paperHost(life: Partial<Host> & { destroy?: () => Promise<void> } = {}) {
  const living = new Set<string>()
  const host: Host = {
    name: "paper",
    can,
    summary: "Does nothing.",
    probe: async () => ({ kind: "ready" }),
    images: async () => ["paper"],
    removeSnapshot: async () => {},
    async create({ name }): Promise<Sandbox> {
      living.add(name)
      return {
        name,
        image: "paper",
        can,
        home: "/home",
        roots: ["/home"],
        perform: () => Promise.reject(new Error("paper does nothing")),
        sleep: async () => {},
        setNetwork: async () => {},
        snapshot: async () => "snapshot",
        async destroy() {
          await life.destroy?.()
          living.delete(name)
        },
      }
    },
    ...life,
  }
  return { host, living }
}

function check(run: ConformanceCheck["run"]): ConformanceCheck {
  return { id: "topic.check", promise: "it works", run }
}

const about = { id: "topic.check", promise: "it works" }

describe("running a conformance check", () => {
  it("F21: says how a kept promise was measured, and destroys its sandboxes", async () => {
    const { host, living } = paperHost()
    const kept = check(async ({ sandbox, another }) => {
      const other = await another()
      return `${living.size} sandboxes lived, ${sandbox.name === other.name ? "one" : "two"} names`
    })
    const how = "2 sandboxes lived, two names"
    expect(await runConformanceCheck(host, kept)).toEqual({ ...about, kept: true, how })
    expect(living.size).toBe(0)
  })

  it("F21: says what was measured when a promise is broken, and destroys its sandbox", async () => {
    const { host, living } = paperHost()
    const broken = check(async () => {
      throw new ConformanceFailure("expected 3, got 4")
    })
    const how = "expected 3, got 4"
    expect(await runConformanceCheck(host, broken)).toEqual({ ...about, kept: false, how })
    expect(living.size).toBe(0)
  })

  it("F21: takes whatever a host throws for a broken promise", async () => {
    const { host } = paperHost()
    const result = await runConformanceCheck(
      host,
      check(({ workspace }) => workspace.readFile("x")),
    )
    expect(result).toEqual({ ...about, kept: false, how: 'threw Error: "paper does nothing"' })
  })

  it("F21: ends a check that hangs, tells it so, and destroys its sandbox", async () => {
    const { host, living } = paperHost()
    let told = false
    const hanging = check(({ signal }) => {
      signal.addEventListener("abort", () => {
        told = true
      })
      return new Promise(() => {})
    })
    expect(await runConformanceCheck(host, hanging, { checkMs: 50 })).toEqual({
      ...about,
      kept: false,
      how: "there was no answer within 50 ms",
    })
    expect({ told, living: living.size }).toEqual({ told: true, living: 0 })
  })

  it("F21: a host that can't make a sandbox keeps no promise, and says why", async () => {
    const { host } = paperHost({
      create: async () => {
        throw new Error("out of paper")
      },
    })
    const result = await runConformanceCheck(
      host,
      check(async () => "never reached"),
    )
    expect(result).toEqual({ ...about, kept: false, how: 'threw Error: "out of paper"' })
  })

  it("F21: says when a sandbox could not be destroyed", async () => {
    const { host } = paperHost({
      destroy: async () => {
        throw new Error("stuck")
      },
    })
    const result = await runConformanceCheck(
      host,
      check(async () => "well"),
    )
    const how = 'well; its sandbox could not be destroyed: threw Error: "stuck"'
    expect(result).toEqual({ ...about, kept: true, how })
  })

  it("F21: a promise that the host does not make is neither kept nor broken, and costs no sandbox", async () => {
    const { host } = paperHost({
      create: async () => {
        throw new Error("nobody should ask")
      },
    })
    const needy = {
      ...check(async () => "kept"),
      needs: ({ liveOutput }: Capabilities) => liveOutput,
    }
    const how = "the host does not promise it"
    expect(await runConformanceCheck(host, needy)).toEqual({ ...about, kept: null, how })
  })
})

describe("running the conformance suite", () => {
  it("F21: runs the checks of a topic or of an id, and reports each as it ends", async () => {
    const { host } = paperHost()
    const seen: string[] = []
    const report = await runConformance(host, {
      only: ["sandbox-life.ready", "idle-timeouts"],
      onResult: ({ id, kept }) => seen.push(`${id}: ${kept}`),
    })
    expect(report.host).toBe("paper")
    expect(report.checks.map(({ id, kept }) => `${id}: ${kept}`).sort()).toEqual(seen.sort())
    expect(seen).toContain("sandbox-life.ready: true")
    expect(seen).toContain("idle-timeouts.reset: null")
    expect(seen.every((line) => /^(sandbox-life\.ready|idle-timeouts\.)/.test(line))).toBe(true)
  })

  it("F21: refuses a name that no check has, with the nearest one", async () => {
    const { host } = paperHost()
    await expect(runConformance(host, { only: ["timeouts.deadlin"] })).rejects.toThrow(
      'No conformance check or topic is called "timeouts.deadlin". Did you mean "timeouts.deadline"?',
    )
  })
})
