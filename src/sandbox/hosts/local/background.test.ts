import { describe, expect, it } from "vitest"
import {
  isWritten,
  markOf,
  openLocal,
  processesWith,
  until,
} from "../../../../test/support/sandbox/local-fixture.ts"

describe("background processes", () => {
  it("O26: start at once, write to their log, and end with their exit code", async () => {
    await using local = await openLocal()
    const { processes } = local.workspace
    const started = await processes.start("echo one; read -r line; echo $line >&2; exit 5", {
      stdin: "two\n",
    })
    const ended = await processes.wait(started.id)
    expect(ended.state).toEqual({ kind: "exited", exitCode: 5 })
    expect((await processes.output(started.id)).text).toBe("one\ntwo\n")
  })

  it("O27: a kill asks the whole group and waits as long as it is told to", async () => {
    await using local = await openLocal()
    const { processes } = local.workspace
    const mark = await markOf(local.workspace)
    const stubborn = (ready: string) =>
      processes.start(`trap '' TERM; echo > ${ready}; while :; do sleep 0.05; done`)
    const [hasty, patient] = await Promise.all([stubborn("hasty"), stubborn("patient")])
    await until(() => isWritten(local, "hasty"))
    await until(() => isWritten(local, "patient"))
    const ended: string[] = []
    const kill = async (id: string, graceMs?: number) => {
      const { state } = await processes.kill(id, { graceMs })
      expect(state).toEqual({ kind: "killed", by: "user" })
      ended.push(id)
    }
    await Promise.all([kill(patient.id), kill(hasty.id, 100)])
    expect(ended).toEqual([hasty.id, patient.id])
    expect(processesWith(mark)).toEqual([])
  })

  it("C18.wake: sleep ends every process, answers what runs, and the next use works again", async () => {
    await using local = await openLocal()
    const { workspace, sandbox } = local
    const mark = await markOf(workspace)
    await workspace.writeFile("kept", "kept")
    const server = await workspace.processes.start("sleep 201")
    await workspace.exec("setsid sleep 202 > /dev/null 2>&1 &")
    const running = workspace.exec("echo > running; sleep 203")
    const asleep = { kind: "unavailable", message: "The sandbox went to sleep." }
    const answer = expect(running).rejects.toMatchObject(asleep)
    await until(() => isWritten(local, "running"))
    await Promise.all([sandbox.sleep(), sandbox.sleep()])
    await answer
    expect(processesWith(mark)).toEqual([])
    expect((await workspace.processes.status(server.id)).state).toEqual({
      kind: "gone",
      why: "The sandbox went to sleep.",
    })
    expect((await workspace.exec("cat kept")).stdout).toBe("kept")
    const sleeping = sandbox.sleep()
    expect((await workspace.exec("echo awake")).stdout).toBe("awake\n")
    await sleeping
  })
})

describe("a command's streams", () => {
  it("F18: input reaches the command as it arrives, and its end is the end", async () => {
    await using local = await openLocal()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const heard: string[] = []
    const command = "while read -r line; do echo got $line; done; echo over"
    const running = local.workspace.exec(command, {
      stdin: readable,
      onOutput: ({ bytes }) => void heard.push(Buffer.from(bytes).toString()),
    })
    await writer.write(Buffer.from("one\n"))
    await until(() => heard.join("") === "got one\n")
    await writer.write(Buffer.from("two\n"))
    await writer.close()
    expect((await running).exitCode).toBe(0)
    expect(heard.join("")).toBe("got one\ngot two\nover\n")
  })

  it("F18: a command that stops reading is not waited for, and the sender hears of it", async () => {
    await using local = await openLocal()
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        isCancelled = true
      },
    })
    const { stdout } = await local.workspace.exec("head -c 100000 | wc -c", { stdin: endless })
    expect(stdout.trim()).toBe("100000")
    await until(() => isCancelled)
  })

  it("F18: a receiver that takes its time slows the command down and gets every byte", async () => {
    await using local = await openLocal()
    let bytes = 0
    let atOnce = 0
    const { exitCode } = await local.workspace.exec("head -c 3000000 /dev/zero", {
      onOutput: async (chunk) => {
        atOnce += 1
        expect(atOnce).toBe(1)
        bytes += chunk.bytes.length
        await new Promise((resolve) => setTimeout(resolve, 5))
        atOnce -= 1
      },
    })
    expect([exitCode, bytes]).toEqual([0, 3_000_000])
  })
})

it("F15: runs the languages that it says it has", async () => {
  await using local = await openLocal()
  const { workspace } = local
  const codes = {
    bash: "-x() { :; }; echo $((6 * 7))",
    javascript: "console.log(6 * 7)",
    typescript: "const six: number = 6; console.log(six * 7)",
    python: "print(6 * 7)",
  } as const
  const outputs = await Promise.all(
    (["bash", "javascript", "typescript", "python"] as const).map(async (language) => {
      const { stdout, stderr, exitCode } = await workspace.runCode(language, codes[language])
      return { stdout, stderr, exitCode }
    }),
  )
  expect(outputs).toEqual(Array(4).fill({ stdout: "42\n", stderr: "", exitCode: 0 }))
})
