import { expect, it } from "vitest"
import { openOpenSandboxHost } from "../../src/sandbox/index.ts"
import { serveOpenSandbox } from "../support/http/opensandbox-fixture.ts"
import { idsOf, measureReusing } from "./conformance-fixture.ts"

/** What its own way to run commands decides; files are used by commands, as on any adapted host. */
const only = [
  ...["exit-codes", "output", "live-output", "idle-timeouts", "working-directory", "stdin"],
  ...["timeouts", "abort", "sandbox-life", "file-failures"],
].flatMap(idsOf)

/** Those of them that a foreign sandbox does not promise. */
const notPromised = [
  ...["exit-codes.not-executable", "exit-codes.killed", "exit-codes.terminated"],
  ...["timeouts.stubborn", "stdin.live", "file-failures.special-file"],
]

it("R12.opensandbox: the opensandbox host keeps its promises, on Toolkeep's own endpoint", async () => {
  await using server = await serveOpenSandbox()
  const host = await openOpenSandboxHost({
    ...{ domain: `127.0.0.1:${server.port}`, apiKey: server.token, image: "host" },
  })
  expect(await host.probe()).toMatchObject({ kind: "ready" })
  expect(await measureReusing(host, { only })).toEqual({ broken: [], notPromised })
}, 900_000)

it("R12.opensandbox: without a server, and with a wrong key, the host says so", async () => {
  await using server = await serveOpenSandbox()
  const domain = `127.0.0.1:${server.port}`
  const wrong = await openOpenSandboxHost({ domain, apiKey: "wrong", image: "host" })
  expect(await wrong.probe()).toMatchObject({
    ...{ kind: "unavailable", reason: expect.stringContaining("OPEN-SANDBOX-API-KEY") },
  })
  const none = await openOpenSandboxHost({ domain: "127.0.0.1:1", image: "host" })
  expect(await none.probe()).toMatchObject({
    ...{ kind: "unavailable", reason: expect.stringContaining("127.0.0.1:1 does not answer") },
  })
})
