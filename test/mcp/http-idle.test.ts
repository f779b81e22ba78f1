import { stat } from "node:fs"
import { connect } from "node:net"
import { expect, it } from "vitest"
import { openHttpGround } from "./http-ground.ts"

it("F20: a request on a connection that was idle is answered, also when the server was busy as its time ran out", async () => {
  await using ground = await openHttpGround({ limits: { idleConnectionMs: 200 } })
  const { port } = new URL(ground.url)
  const socket = connect(Number(port), "127.0.0.1")
  let heard = ""
  const ended = new Promise((resolve) => socket.once("close", resolve))
  socket.on("error", () => {}).on("data", (piece) => (heard += piece))
  const ask = (end: string) =>
    socket.write(
      `GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ground.token}\r\n${end}\r\n`,
    )
  const answers = () => heard.match(/HTTP\/1\.1 404 /g)?.length ?? 0
  ask("")
  await expect.poll(answers).toBe(1)
  // The request arrives while something else holds up the process: its timers are late, and come before it is read.
  stat("/", () => {
    ask("Connection: close\r\n")
    const busyUntil = performance.now() + 2_000
    while (performance.now() < busyUntil);
  })
  await ended
  expect(answers()).toBe(2)
})
