import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CallContext, failureFrom } from "../../src/contract/index.ts"
import { createEgressGuard, type EgressSettings } from "../../src/sandbox/index.ts"
import { artifactDirectory } from "../../src/store/index.ts"
import { fetchPage } from "../../src/tools/web/fetch-page.ts"
import type { FetchInput } from "../../src/tools/web/fetch-tool.ts"
import { standInCertificate } from "../support/sandbox/stand-in-certificate.ts"
import { openStandIn, publicAddress, type StandIn } from "../support/sandbox/stand-in-fixture.ts"

let standIn: StandIn
beforeAll(async () => {
  standIn = await openStandIn()
  standIn.names.set("inside.example", ["10.0.0.7"])
  standIn.names.set("metadata.example", ["169.254.169.254"])
  standIn.names.set("both.example", [publicAddress, "::1"])
  standIn.names.set("mapped.example", ["::ffff:127.0.0.1"])
})
afterAll(() => standIn[Symbol.asyncDispose]())

const context: CallContext = {
  callId: "call_test",
  tool: "web.fetch",
  signal: new AbortController().signal,
  terminated: new AbortController().signal,
  session: { name: "test", entries: async () => [] },
  workspace: () => Promise.reject(new Error("no sandbox")),
  dispatch: () => Promise.reject(new Error("no sandbox")),
  output: () => {},
  warn: () => {},
}

/** web.fetch in a world of our own: its text, or "kind: message". */
async function fetched(url: string, settings: EgressSettings = {}): Promise<string> {
  const input: FetchInput = {
    ...{ url, method: "GET", headers: {}, format: "raw" },
    ...{ timeout_ms: 5_000, max_bytes: 1_000 },
  }
  try {
    const page = await fetchPage(input, {
      reach: createEgressGuard(settings, standIn.dialer),
      version: "0.0.0",
      textBytes: 50_000,
      artifacts: artifactDirectory("/nowhere"),
      work: { ask: () => Promise.reject(new Error("nothing to convert")) },
      context,
    })
    return page.text
  } catch (error) {
    const { kind, message } = failureFrom(error)
    return `${kind}: ${message}`
  }
}

describe("web.fetch in a world of hostile names", () => {
  it("C18: reaches a public name at the address that was checked", async () => {
    standIn.forget()
    expect(await fetched("http://allowed.example/page?a=1")).toContain(
      "GET allowed.example /page?a=1",
    )
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
  })

  it.each(["inside", "metadata", "both", "mapped"])(
    "C18: connects to nothing for %s.example, which leads to a private address, nor for a redirect to it",
    async (name) => {
      standIn.forget()
      const refused = new RegExp(`^rejected: ${name}\\.example:80 may not be reached: it leads to `)
      expect(await fetched(`http://${name}.example/`)).toMatch(refused)
      expect(standIn.reached).toEqual([])
      const location = encodeURIComponent(`http://${name}.example/`)
      expect(await fetched(`http://allowed.example/to/${location}`)).toMatch(refused)
      expect(standIn.reached).toEqual([`${publicAddress}:80`])
    },
  )

  it("C18: a name that leads elsewhere at the second look is checked at each", async () => {
    standIn.forget()
    standIn.names.set("turning.example", { inTurn: [[publicAddress], ["127.0.0.1"]] })
    const location = encodeURIComponent("http://turning.example:8080/")
    expect(await fetched(`http://turning.example/to/${location}`)).toMatch(
      /^rejected: turning\.example:8080 may not be reached: it leads to 127\.0\.0\.1/,
    )
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
  })

  it("C18: a name that nobody knows is unavailable, and one that is not on the allow-list is not even looked up", async () => {
    expect(await fetched("http://nowhere.example/")).toBe(
      "unavailable: nowhere.example:80 could not be reached: the name could not be looked up.",
    )
    const settings = { reach: "allow-list", allow: ["allowed.example"] } as const
    expect(await fetched("http://nowhere.example/", settings)).toMatch(
      /^rejected: nowhere\.example:80 may not be reached: nothing on the allow-list matches\./,
    )
  })

  it("C18: https is for certificates that can be trusted, of the name that was asked for", async () => {
    expect(await fetched("https://allowed.example/")).toMatch(
      /^unavailable: allowed\.example can't be trusted: self-signed certificate/,
    )
    const usual = getCACertificates()
    setDefaultCACertificates([...usual, standInCertificate.cert])
    try {
      expect(await fetched("https://allowed.example/safe")).toContain("GET allowed.example /safe")
      standIn.names.set("other.example", [publicAddress])
      expect(await fetched("https://other.example/")).toMatch(
        /^unavailable: other\.example can't be trusted: Hostname\/IP does not match/,
      )
    } finally {
      setDefaultCACertificates(usual)
    }
  })
})
