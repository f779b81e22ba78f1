import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const module = JSON.stringify(new URL("./index.ts", import.meta.url).href)

/** What a program prints that contains its faults, and then does this. */
async function print(work: string): Promise<readonly string[]> {
  const program = `
    import { createServer } from "node:http"
    import { connect } from "node:net"
    import { containFaults, ownConnections, runOwned } from ${module}
    const print = (line) => console.log(line)
    const contained = containFaults({ log: (line) => print(line.replace(/ at .*/, "")), mostPerSecond: 3 })
    const fail = (message) => { throw new Error(message) }
    const owner = (name) => ({ name, end: (error) => print("end " + name + " " + error?.message) })
    ${work}
  `
  const args = ["--input-type=module", "-e", program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim().split("\n")
}

const escaped = "An error escaped and"

it("an error that escapes ends its owner, and leaves no owner behind for another's", async () => {
  const work = `
    runOwned(owner("one"), () => queueMicrotask(() => fail("first")))
    let isOver = false
    const two = { name: "two", end: (error) => { owner("two").end(error); isOver = true } }
    runOwned(two, async () => { await null; setTimeout(() => fail("second"), 20) })
    const waiting = setInterval(() => { if (isOver) { clearInterval(waiting); fail("third") } }, 10)`
  expect(await print(work)).toEqual([
    ...["end one first", `${escaped} ended one: Error: first`],
    ...["end two second", `${escaped} ended two: Error: second`],
    `${escaped} belongs to no call or connection; everything goes on: Error: third`,
  ])
})

it("an owner that can't be ended, and a log that fails, end nothing else", async () => {
  const work = `
    runOwned({ name: "one", end: () => fail("again") }, () => setTimeout(() => fail("first")))
    setTimeout(() => { contained[Symbol.dispose](); containFaults({ log: () => fail("full"), mostPerSecond: 3 })
      setTimeout(() => fail("second")); setTimeout(() => print("alive"), 20) }, 20)`
  expect(await print(work)).toEqual([`${escaped} could not end one: Error: first`, "alive"])
})

it("a flood of errors is counted instead of said", async () => {
  const work = `
    for (let count = 0; count < 20; count += 1) setImmediate(() => fail("more"))
    setTimeout(() => fail("last"), 2_100)`
  const lines = await print(work)
  expect(lines.filter((line) => line.endsWith("Error: more")).length).toBeLessThanOrEqual(9)
  expect(lines.join()).toMatch(/\d+ more errors of this kind were not shown\./)
  expect(lines.at(-1)).toContain("Error: last")
})

it("each connection of a server owns what its parser and its handlers do", async () => {
  const work = `
    const server = createServer((request) => {
      request.on("data", () => fail("in data"))
      setTimeout(() => fail("in a timer"), 50)
    })
    ownConnections(server, "a connection")
    server.listen(0, "127.0.0.1", () => {
      const client = connect(server.address().port, "127.0.0.1")
      client.on("error", () => {}).on("close", () => { print("closed"); server.close() })
      client.write("POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 5\\r\\n\\r\\nx")
    })`
  const lines = await print(work)
  expect(lines).toContain(`${escaped} ended a connection: Error: in data`)
  expect(lines).toContain(`${escaped} ended a connection: Error: in a timer`)
  expect(lines).toContain("closed")
})
