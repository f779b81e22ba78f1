import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type CuttableProxy, openCuttableProxy } from "./cuttable-proxy.ts"
import { openRemote, type RemoteFixture } from "./remote-fixture.ts"

let remote: RemoteFixture
let way: CuttableProxy

beforeAll(async () => {
  remote = await openRemote()
  way = await openCuttableProxy(remote.engine.port)
}, 120_000)

afterAll(async () => {
  await way[Symbol.asyncDispose]()
  await remote[Symbol.asyncDispose]()
})

const open = () => remote.open({ address: way.address })
const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("")

/** What the containers and volumes of sandboxes are named; programs stay. */
async function left(): Promise<string[]> {
  const { docker } = remote.engine
  const containers = await docker.listContainers({ all: true })
  const { Volumes } = await docker.listVolumes()
  const volumes = Volumes.filter(({ Labels }) => !Labels || !("toolkeep.programs" in Labels))
  return [...containers.flatMap(({ Names }) => Names), ...volumes.map(({ Name }) => Name)].sort()
}

describe("a sandbox on an engine elsewhere", () => {
  it("F21, R12: output and exit code are whole after the stream was cut again and again", async () => {
    const { workspace } = await open()
    const count = 60_000
    let text = ""
    let next = 20_000
    const { exitCode } = await workspace.exec(
      `for ((i = 1; i <= ${count}; i++)); do echo $i; done; exit 7`,
      {
        timeoutMs: 100_000,
        onOutput({ bytes }) {
          text += Buffer.from(bytes).toString()
          if (text.length < next) return
          next += 60_000
          way.cut()
        },
      },
    )
    expect(exitCode).toBe(7)
    expect(text === lines(count)).toBe(true)
    expect(next).toBeGreaterThan(250_000)
  }, 120_000)

  it("F21, R12: a command that is asked for or ends while the stream is cut runs once and answers", async () => {
    const { workspace } = await open()
    for (let at = 1; at <= 8; at += 1) {
      const running = workspace.exec(`echo ${at} >>runs; echo ${at}; exit ${at}`)
      if (at % 2 === 0) setImmediate(way.cut)
      else way.cut()
      expect(await running).toMatchObject({ exitCode: at, stdout: `${at}\n` })
    }
    expect((await workspace.exec("cat runs")).stdout).toBe(lines(8))
  }, 120_000)

  it("F21, R12: an input is whole after the stream was cut while a slow command read it", async () => {
    const { workspace } = await open()
    const data = Buffer.alloc(3_000_000, "0123456789abcdef-")
    const script = `while head -c 400000 | grep -c . >/dev/null; do break; done; cat >/dev/null; exit 0`
    const cutting = setInterval(way.cut, 300)
    onTestFinished(() => clearInterval(cutting))
    await workspace.exec(script, { stdin: data, timeoutMs: 100_000 })
    await workspace.writeFile("input", data)
    const { stdout } = await workspace.exec("cat - input | sha256sum", {
      stdin: data,
      timeoutMs: 100_000,
    })
    const expected = createHash("sha256").update(data).update(data).digest("hex")
    expect(stdout.split(" ")[0]).toBe(expected)
  }, 120_000)

  it("F21, R12: a stream that stays open and silent is replaced, and nothing is lost", async () => {
    const { workspace } = await open()
    let text = ""
    const { exitCode } = await workspace.exec("for i in {1..3000}; do echo $i; done; exit 5", {
      timeoutMs: 100_000,
      onOutput({ bytes }) {
        if (text === "") {
          way.silence()
          way.heal()
        }
        text += Buffer.from(bytes).toString()
      },
    })
    // Idle connections to the engine are silent too, and a request over one would wait for its deadline.
    way.cut()
    expect({ exitCode, isWhole: text === lines(3_000) }).toEqual({ exitCode: 5, isWhole: true })
  }, 120_000)

  it("F21, R12: found defect: a command's end is told however its last bytes and credits meet", async () => {
    const { workspace } = await open()
    await workspace.writeFile("full", new Uint8Array(2 * 1024 ** 2))
    for (let at = 0; at < 12; at += 1) {
      const command = "cat full >&2; cat full; cat full >&2"
      expect((await workspace.exec(command, { timeoutMs: 60_000 })).exitCode).toBe(0)
    }
  }, 240_000)

  it("F21, Y16, R12: without a way back a command answers unavailable, and the next use finds the files", async () => {
    const { workspace } = await open()
    onTestFinished(way.heal)
    await workspace.writeFile("kept", "here")
    const running = workspace.exec("echo started; sleep 600", { onOutput: () => way.silence() })
    await expect(running).rejects.toMatchObject({
      kind: "unavailable",
      message: "The connection to the sandbox was lost while the command ran; it is started again.",
    })
    way.heal()
    way.cut()
    expect((await workspace.exec("cat kept")).stdout).toBe("here")
  }, 120_000)

  it("F21, Y16, R12: when its keeper is killed a command answers unavailable, and the next use finds the files", async () => {
    const { workspace } = await open()
    await workspace.writeFile("kept", "here")
    const { docker } = remote.engine
    const killed = Promise.withResolvers<void>()
    const running = workspace.exec("echo started; sleep 600", {
      onOutput: () => {
        docker.listContainers().then(async (containers) => {
          const keeper = containers.find(({ Names }) => Names[0]?.endsWith("-keeper"))
          await docker.getContainer(keeper?.Id ?? "").kill()
          killed.resolve()
        })
      },
    })
    await expect(running).rejects.toMatchObject({ kind: "unavailable" })
    await killed.promise
    expect((await workspace.exec("cat kept")).stdout).toBe("here")
  }, 120_000)

  it("F21, R12: a reader that waits holds the command back, and little of its output is in memory", async () => {
    const { sandbox, workspace } = await open()
    const bytes = 60_000_000
    const held = Promise.withResolvers<void>()
    let read = 0
    const before = process.memoryUsage().arrayBuffers
    const running = workspace.exec(`head -c ${bytes} /dev/zero & echo $! >pid; wait`, {
      timeoutMs: 200_000,
      onOutput: async (chunk) => {
        read += chunk.bytes.length
        await held.promise
      },
    })
    const written = async () => {
      const { stdout } = await workspace.exec("grep wchar /proc/$(cat pid)/io")
      return Number(stdout.split(" ")[1])
    }
    let last = -1
    const isStill = async () => {
      const now = await written().catch(() => Number.NaN)
      const isSame = now === last && now > 0
      last = now
      return isSame
    }
    await expect.poll(isStill, { timeout: 60_000, interval: 500 }).toBe(true)
    expect(last).toBeLessThan(2_000_000)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 ** 2)
    held.resolve()
    expect(await running).toMatchObject({ exitCode: 0 })
    expect(read).toBe(bytes)
    await sandbox.sleep()
  }, 240_000)
})

describe("what an engine elsewhere is left with", () => {
  it("Y16, R12: a destroyed sandbox leaves no container and no volume, a kept one its files", async () => {
    const before = await left()
    const { sandbox } = await remote.open()
    expect(await left()).toHaveLength(before.length + 4)
    await sandbox.destroy()
    expect(await left()).toEqual(before)
    const first = await remote.host().create({ name: "kept", keptAs: "elsewhere" })
    await createWorkspace(first).exec("echo mine >file; echo other >/tmp/temporary")
    await first.sleep()
    expect(await left()).toHaveLength(before.length + 1)
    const again = await remote.host().create({ name: "kept", keptAs: "elsewhere" })
    const { stdout } = await createWorkspace(again).exec("cat file /tmp/temporary")
    expect(stdout).toBe("mine\nother\n")
    await again.destroy()
    expect(await left()).toEqual(before)
  }, 120_000)

  it("Y16, R12: the keeper can be of another image that has Node, for engines of another kind of machine", async () => {
    const { sandbox, workspace } = await remote.open({ keeperImage: remote.options().image })
    expect(await workspace.exec("echo $((6 * 7))")).toMatchObject({ stdout: "42\n", exitCode: 0 })
    expect(sandbox.can).toMatchObject({ networks: ["none", "full"], ripgrep: null })
  }, 120_000)

  it("Y16, R12: a bind that commands could write is refused", async () => {
    const host = remote.host({ binds: ["/usr:/usr:ro", "/srv:/srv"] })
    await expect(host.create({ name: "test" })).rejects.toMatchObject({
      kind: "unavailable",
      retryable: false,
      message:
        'The bind "/srv:/srv" is of an engine elsewhere, where it can only be read. Write ":ro" behind it.',
    })
  })
})
