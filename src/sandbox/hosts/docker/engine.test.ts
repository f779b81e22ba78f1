import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { dockerLimits } from "../../limits.ts"
import { connectEngine } from "./engine.ts"
import { socketAddress } from "./engine-address.ts"
import { engineFailure } from "./engine-failure.ts"

describe("the library that speaks to the engine", () => {
  it("Y16: where it can't be loaded, the answer says so, and that it is no use to try again", async () => {
    const load = () => import("dockerode/missing" as string)
    const connecting = connectEngine({
      address: socketAddress("/nowhere"),
      clock: systemClock,
      load,
    })
    await expect(connecting).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("The docker host can't load dockerode: "),
      retryable: false,
    })
  })
})

describe("the reason that an engine gives", () => {
  it("Y16: is one line of which beginning and end are kept, however much it repeats", () => {
    const settings = JSON.stringify({ names: Array(5_000).fill("call") })
    const error = Object.assign(new Error(`opening (${settings})\nfailed:  name too long\n`), {
      statusCode: 500,
    })
    const { message } = engineFailure(error, "/nowhere")
    expect(message.length).toBeLessThan(dockerLimits.reasonCharacters + 100)
    expect(message).toMatch(
      /^The container engine refused: opening \(.* … .*failed: name too long$/,
    )
  })
})

describe("an engine that takes requests and never answers", () => {
  it("F21, Y16: every request to it ends as unavailable", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-silent-"))
    const socketPath = join(directory, "engine.sock")
    const connections = new Set<Socket>()
    const server = createServer((connection) => connections.add(connection)).listen(socketPath)
    await once(server, "listening")
    onTestFinished(async () => {
      for (const connection of connections) connection.destroy()
      server.close()
      await rm(directory, { recursive: true })
    })
    const waited: number[] = []
    const clock: Clock = {
      ...systemClock,
      after(milliseconds, callback) {
        waited.push(milliseconds)
        return systemClock.after(20, callback)
      },
    }
    const engine = await connectEngine({ address: socketAddress(socketPath), clock })
    const requests = [
      engine.create("name", { Image: "image" }),
      engine.remove("name"),
      engine.labelled("label"),
      engine.information(),
      engine.images(),
      engine.makeVolume({ Name: "name" }),
      engine.removeVolume("name"),
      engine.volumesLabelled("label"),
    ]
    const ends = await Promise.allSettled(requests)
    expect(ends).toMatchObject(
      requests.map(() => ({ status: "rejected", reason: { kind: "unavailable" } })),
    )
    expect(waited).toEqual(requests.map(() => dockerLimits.requestMs))
  })
})
