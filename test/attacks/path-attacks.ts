import { dirname } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AttackGround, codeOf as code, commandMs, type OpenGround } from "./attack-ground.ts"

/** Ways to a file of the host by a path, through commands and through file operations: on every host with a wall. */
export function attackPaths(open: OpenGround): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  it("C18: reads the host's file through a symbolic link, by command and by file operation", async () => {
    const { workspace, canary, print, secret } = ground
    await print(`ln -sfn ${canary} link; ln -sfn ${dirname(canary)} up`)
    expect(await print("cat link up/canary")).not.toContain(secret)
    expect(await workspace.readFile("link").catch(code)).toBe("not-found")
    expect(await workspace.readFile("up/canary").catch(code)).toBe("not-found")
    expect(await workspace.exists("up/canary")).toBe(false)
    expect(await workspace.readdir("up").catch(code)).toBe("not-found")
  })

  it("C18: writes the host's file through a symbolic link, whole and by appending", async () => {
    const { workspace, canary, print, canaryContent, secret } = ground
    await print(`ln -sfn ${canary} out; ln -sfn ${dirname(canary)} outside`)
    const tries = ["out", "outside/canary", canary].flatMap((path) =>
      [false, true].map((append) => workspace.writeFile(path, "owned", { append }).catch(code)),
    )
    await Promise.all(tries)
    await print("echo owned >out; echo owned >>outside/canary")
    expect(canaryContent()).toBe(secret)
  })

  it("C18: climbs out with .. and with absolute paths", async () => {
    const { workspace, canary, print, secret } = ground
    const path = `${"../".repeat(40)}${canary.slice(1)}`
    expect(await workspace.readFile(path).catch(code)).not.toContain(secret)
    expect(await print(`cat ${path} ${canary}`)).not.toContain(secret)
  })

  it("C18: swaps a directory for a link to the host while files in it are read and written", async () => {
    const { workspace, canary, canaryContent, secret } = ground
    const swap = `end=$((SECONDS + 2)); while ((SECONDS < end)); do
      mkdir race; echo inside >race/canary; rm -r race; ln -s ${dirname(canary)} race; rm race; done`
    const swapping = workspace.exec(swap, { timeoutMs: commandMs })
    let isSwapping = true
    const over = swapping.finally(() => {
      isSwapping = false
    })
    const seen = new Set<string>()
    while (isSwapping) {
      const [content] = await Promise.all([
        workspace.readFile("race/canary").catch(() => ""),
        workspace.writeFile("race/canary", "owned").catch(() => {}),
        workspace.writeFile("race/canary", "owned", { append: true }).catch(() => {}),
      ])
      seen.add(content)
      // Operations in memory leave no turn to the command's end.
      await setImmediate()
    }
    await over
    expect([...seen].join("")).not.toContain(secret)
    expect(canaryContent()).toBe(secret)
  })
}
