import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { bubblewrapHost, createWorkspace, type Host } from "../../src/sandbox/index.ts"

/** A root file system to make images of, and hosts that have such images. */
export interface ImageGround extends AsyncDisposable {
  readonly base: string
  readonly root: string
  /** A new directory for a test's files. */
  place(): Promise<string>
  hostWith(images: Readonly<Record<string, string>>): Promise<Host>
  /** A sandbox that goes with the test. */
  open(host: Host, image?: string): Promise<Workspace>
}

export async function openImageGround(
  makeRoot: (path: string) => Promise<string>,
): Promise<ImageGround> {
  const base = await mkdtemp(join(tmpdir(), "toolkeep-images-"))
  await chmod(base, 0o755)
  const root = await makeRoot(join(base, "root"))
  let count = 0
  const place = async () => {
    count += 1
    const path = join(base, `place${count}`)
    await mkdir(path)
    return path
  }
  return {
    base,
    root,
    place,
    hostWith: async (images) => bubblewrapHost({ directory: await place(), images }),
    async open(host, image) {
      const sandbox = await host.create({ name: "test", image })
      onTestFinished(() => sandbox.destroy())
      return createWorkspace(sandbox)
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
}
