import { readdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import { openToolkeep } from "../../src/session/index.ts"
import { type OpenGround, setUpMs } from "./attack-ground.ts"

const rounds = 30

/** Swaps directories for links to the machine, over and over, and leaves them as they were. */
function swapping(outside: string): string {
  return `for ((i = 0; i < ${rounds}; i++)); do
  mv race kept; ln -s ${outside} race; rm race; mv kept race
  mv race/canary race/own; ln -s ${outside}/canary race/canary; rm race/canary; mv race/own race/canary
done 2>/dev/null`
}

const patch = `--- race/canary
+++ race/canary
@@ -1 +1 @@
-inside
+patched
--- still/file
+++ still/file
@@ -1 +1 @@
-one
+two
`

/** git's own lines: a file can be run from now on, and a link comes beside it. */
const linking = `diff --git a/race/canary b/race/canary
old mode 100644
new mode 100755
diff --git a/race/way b/race/way
new file mode 120000
--- /dev/null
+++ b/race/way
@@ -0,0 +1 @@
+canary
\\ No newline at end of file
`

/** Tools that change files, while a command swaps what they change: on every host. */
export function attackToolRaces(open: OpenGround): void {
  it(
    "C18, O30: patches, moves, edits and writes while directories are swapped for links to the machine",
    async () => {
      await using ground = await open()
      const { canary, canaryContent, secret } = ground
      const outside = dirname(canary)
      const found = readdirSync(outside)
      const { mode } = statSync(canary)
      await using keep = await openToolkeep({ host: ground.host })
      const session = await keep.session()
      const call = async (tool: string, input: object) => {
        const envelope = await session.start(tool, input).envelope
        expect(typeof envelope.ok).toBe("boolean")
        expect(JSON.stringify(envelope)).not.toContain(secret)
        return envelope
      }
      const textOf = async (path: string) => {
        const envelope = await session.call("file.read", { path })
        expect(JSON.stringify(envelope)).not.toContain(secret)
        return envelope.ok && envelope.result.kind === "file" ? envelope.result.text : ""
      }
      const prepare = async (directory: string) => {
        await call("file.write", { path: `${directory}/canary`, content: "inside\n" })
        await call("file.write", { path: "still/file", content: "one\n" })
      }
      await prepare("race")

      let isSwapping = true
      const swapped = session.call("shell.exec", { command: swapping(outside) }).finally(() => {
        isSwapping = false
      })
      while (isSwapping) {
        const outcome = await call("file.patch", { patch })
        const still = await textOf("still/file")
        // All of it or nothing; what could not be put back is said.
        const isSaid = JSON.stringify(outcome).includes("could not be put back")
        if (!isSaid)
          expect([outcome.ok, still]).toEqual([outcome.ok, outcome.ok ? "two\n" : "one\n"])
        await call("file.patch", { patch: linking })
        await call("file.remove", { path: "race/way" })
        await call("file.edit", {
          path: "race/canary",
          edits: [{ search: "patched", replace: "inside" }],
        })
        await call("file.move", { from: "race/canary", to: "race/moved", overwrite: true })
        await call("file.move", { from: "race/moved", to: "race/canary", overwrite: true })
        await prepare("race")
        // Operations in memory leave no turn to the command's end.
        await setImmediate()
      }
      await swapped
      expect(canaryContent()).toBe(secret)
      expect(readdirSync(outside)).toEqual(found)
      expect(statSync(canary).mode).toBe(mode)
      // Where nothing is swapped, it works.
      await prepare("calm")
      const calm = await call("file.patch", { patch: patch.replaceAll("race/", "calm/") })
      expect(calm).toEqual(expect.objectContaining({ ok: true }))
      expect(await textOf("calm/canary")).toBe("patched\n")
      const linked = await call("file.patch", { patch: linking.replaceAll("race/", "calm/") })
      expect(linked).toEqual(expect.objectContaining({ ok: true }))
      expect(await textOf("calm/way")).toBe("patched\n")
    },
    3 * setUpMs,
  )
}
