import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { setUpMs } from "../attacks/attack-ground.ts"
import { type DockerFixture, output } from "./docker-fixture.ts"
import { testBinds } from "./import-images.ts"

/** Tries to have an engine show a place that nobody named, by a link where a named one was. */
export function attackBinds(fixture: () => DockerFixture): void {
  it(
    "C18, Y16: a bind in a writable one is refused, and one that was swapped for a link is not shown",
    async () => {
      const { directory, host } = fixture()
      const top = join(directory, "binds")
      const [project, sub, outside] = ["project", "project/sub", "outside"].map((name) => {
        const path = join(top, name)
        mkdirSync(path, { recursive: true })
        chmodSync(path, 0o777)
        writeFileSync(join(path, "named"), `${name}\n`)
        return path
      })
      const hostWith = (...binds: readonly string[]) => host({ binds: [...testBinds, ...binds] })
      const nested = hostWith(`${project}:/mnt/project`, `${sub}:/mnt/sub:ro`)
      await expect(nested.create({ name: "test" })).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining("which commands may change"),
      })

      const writer = await hostWith(`${project}:/mnt/project`).create({ name: "writer" })
      onTestFinished(() => writer.destroy())
      const reader = await hostWith(`${sub}:/mnt/sub`).create({ name: "reader" })
      onTestFinished(() => reader.destroy())
      const [swapper, shown] = [createWorkspace(writer), createWorkspace(reader)]
      const look = () => output(shown, "cat /mnt/sub/named")
      expect(await look()).toBe("project/sub\n")
      await output(swapper, `cd /mnt/project; mv sub kept; ln -s ${outside} sub`)
      await reader.sleep()
      await expect(look()).rejects.toThrow("is no longer the directory that the bind")
      await output(swapper, "cd /mnt/project; rm sub; mv kept sub")
      expect(await look()).toBe("project/sub\n")
    },
    3 * setUpMs,
  )
}
