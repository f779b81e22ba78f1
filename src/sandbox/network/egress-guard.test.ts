import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  openStandIn,
  publicAddress,
  type StandIn,
} from "../../../test/support/sandbox/stand-in-fixture.ts"
import { createEgressGuard, type EgressSettings } from "./egress-guard.ts"

let standIn: StandIn
beforeAll(async () => {
  standIn = await openStandIn()
  standIn.names.set("inside.example", ["10.0.0.7"])
  standIn.names.set("both.example", [publicAddress, "169.254.169.254"])
})
afterAll(() => standIn[Symbol.asyncDispose]())

const ruleFor = async (settings: EgressSettings, host: string, port = 80) => {
  const decision = await createEgressGuard(settings, standIn.dialer).decide(host, port)
  return `${decision.kind}: ${decision.rule}`
}

describe("what tools outside a sandbox may reach", () => {
  it("Y14: is every public address when nothing is said, on every port", async () => {
    expect(await createEgressGuard({}, standIn.dialer).decide("allowed.example", 8443)).toEqual({
      kind: "allow",
      rule: "everything public",
      addresses: [publicAddress],
    })
    expect(await ruleFor({}, "8.8.8.8", 53)).toBe("allow: everything public")
  })

  it.each([
    ["127.0.0.1", "it leads to 127.0.0.1, an address of this machine"],
    ["2130706433", "it leads to 127.0.0.1, an address of this machine"],
    ["0x7f.1", "it leads to 127.0.0.1, an address of this machine"],
    ["169.254.169.254", "it leads to 169.254.169.254, a link-local address"],
    ["[::1]", "it leads to ::1, a loopback address"],
    ["::1", "it leads to ::1, a loopback address"],
    ["8.8.8.8:22", "it is not a host with a port"],
    ["[::ffff:10.0.0.1]", "it leads to ::ffff:a00:1, an IPv4 address inside an IPv6 address"],
    ["inside.example", "it leads to 10.0.0.7, a private address"],
    ["both.example", "it leads to 169.254.169.254, a link-local address"],
    ["8.8.4.4", "it leads to 8.8.4.4, an address of this machine"],
    ["nowhere.example", "the name could not be looked up"],
    ["a b", "it is not a host with a port"],
  ])("Y14: is never %s", async (host, rule) => {
    expect(await ruleFor({}, host)).toBe(`deny: ${rule}`)
    const connection = await createEgressGuard({}, standIn.dialer).open(
      host,
      80,
      new AbortController().signal,
    )
    expect(connection).toMatchObject({ kind: "denied", rule })
    expect(standIn.reached).toEqual([])
  })

  it("Y14: is only what is on the allow-list, where there is one, and nothing where that is said", async () => {
    const settings = { reach: "allow-list", allow: ["allowed.example"] } as const
    expect(await ruleFor(settings, "allowed.example")).toBe("allow: allowed.example")
    expect(await ruleFor(settings, "allowed.example", 22)).toBe(
      'deny: "allowed.example" allows only port 80 and 443',
    )
    expect(await ruleFor(settings, "8.8.8.8")).toBe("deny: nothing on the allow-list matches")
    expect(await ruleFor({ reach: "none" }, "allowed.example")).toBe(
      'deny: "reach: none" allows nothing else',
    )
  })

  it("Y14: holds a private place that a person named, at that port and under that name only", async () => {
    const settings = { private: ["localhost:8080", "inside.example", "[::1]:81"] }
    expect(await ruleFor(settings, "localhost", 8080)).toBe("deny: the name could not be looked up")
    expect(await ruleFor(settings, "inside.example")).toBe("allow: inside.example")
    expect(await ruleFor({ ...settings, reach: "none" }, "[::1]", 81)).toBe("allow: [::1]:81")
    expect(await ruleFor(settings, "[::1]", 80)).toMatch(/^deny: .*loopback/)
    expect(await ruleFor(settings, "inside.example", 81)).toMatch(/^deny: .*private/)
    expect(await ruleFor(settings, "10.0.0.7")).toMatch(/^deny: .*private/)
  })

  it("Y14: is not guessed from settings that mean nothing", async () => {
    await expect(ruleFor({ private: ["http://localhost"] }, "a.example")).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/^network\.private in toolkeep\.yaml .*"http:\/\/localhost"/),
    })
    const settings = { reach: "allow-list", allow: ["10.0.0.1"] } as const
    await expect(ruleFor(settings, "a.example")).rejects.toMatchObject({
      message: expect.stringContaining('"10.0.0.1" is a private address'),
    })
  })

  it("Y14: is the same through the proxy for programs, which listens on loopback alone", async () => {
    const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    const rules: string[] = []
    const reach = createEgressGuard({ private: [`localhost:${port}`] })
    const proxy = await reach.openProxy({
      onDecision: ({ target, rule }) => rules.push(`${target}: ${rule}`),
    })
    const ask = async (host: string) => {
      const socket = connect(proxy.port, "127.0.0.1")
      socket.write(`GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n`)
      socket.write("Connection: close\r\n\r\n")
      let heard = ""
      for await (const part of socket.setEncoding("latin1")) heard += part
      return heard
    }
    try {
      expect(await ask("localhost")).toContain("hello")
      expect(await ask("127.0.0.1")).toMatch(/^HTTP\/1\.1 403 .*an address of this machine/s)
      expect(rules).toEqual([
        `localhost: localhost:${port}`,
        "127.0.0.1: it leads to 127.0.0.1, an address of this machine",
      ])
    } finally {
      await proxy.close()
      server.close()
    }
  })
})
