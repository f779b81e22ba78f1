import { afterAll, beforeAll, expect, it } from "vitest"
import type { AttackGround, OpenGround } from "./attack-ground.ts"

const mebibyte = 1024 ** 2

/** Output that is made to do harm to who reads it: on every host. */
export function attackOutput(open: OpenGround): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  it("O30: prints without end on both streams, which takes neither this process's memory nor its time", async () => {
    const { workspace, print } = ground
    const line = "x".repeat(1_000)
    const before = process.memoryUsage().rss
    const flood = await workspace.exec(`while :; do echo ${line}; echo ${line} >&2; done`, {
      timeoutMs: 1_500,
      maxOutputBytes: mebibyte,
    })
    expect(flood).toMatchObject({ exitCode: 124, ending: { kind: "timed-out", afterMs: 1_500 } })
    expect(flood.stdoutBytes.length).toBeLessThanOrEqual(mebibyte)
    expect(flood.stderrBytes.length).toBeLessThanOrEqual(mebibyte)
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebibyte)
    expect(await print("echo alive")).toBe("alive\n")
  })

  it("O30: prints what ends a line, a record and a stream elsewhere, and gets it back as it was", async () => {
    const bytes = ["\\0", "\\n", "\\r", "\\033[2J", "\\377\\376", "\\004", "\\n\\0done 0\\n"].join(
      "",
    )
    const { stdoutBytes, exitCode } = await ground.workspace.exec(`printf '${bytes}'; exit 3`)
    expect(exitCode).toBe(3)
    const expected = "\0\n\r\x1b[2J\xff\xfe\x04\n\0done 0\n"
    expect(Buffer.from(stdoutBytes).toString("latin1")).toBe(expected)
  })
}
