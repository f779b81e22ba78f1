import { existsSync, rmSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { MountSettings } from "dockerode"
import { makeDirectories } from "../../../node/index.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { overlayOptions, workDirectory } from "../../agent/directory/overlay-options.ts"
import { kernelSince } from "../../kernel/kernel-since.ts"

/**
 * A home of one directory is bound in. One of several is a volume without a name: the engine mounts it
 * when the container starts, and it goes with the container, however that is removed.
 */
export function homeMount(stack: HomeStack, isKept: boolean): MountSettings {
  const Target = "/home/user"
  if (stack.layers.length === 0) return { Type: "bind", Source: stack.writable, Target }
  const work = workDirectory(stack)
  const isVolatile = !isKept && process.getuid?.() === 0 && kernelSince(5, 10)
  // The kernel refuses one that such a mount has used, and makes it so that only root can remove it.
  if (isVolatile) rmSync(work, { recursive: true, force: true })
  makeDirectories(work, 0o700)
  const options = overlayOptions(stack, { isPrivileged: true, isKept: !isVolatile }, escaped)
  return {
    Type: "volume",
    Source: "",
    Target,
    VolumeOptions: {
      // What the image has there is not this sandbox's.
      NoCopy: true,
      Labels: {},
      DriverConfig: {
        Name: "local",
        Options: { type: "overlay", device: "overlay", o: options },
      },
    },
  }
}

/** What ends a name in a mount's options. */
function escaped(path: string): string {
  return path.replace(/[\\:,]/g, "\\$&")
}

/** File systems that the kernel writes no layer on: overlays themselves, and those of other machines. */
const unfit = new Set([0x794c7630, 0x6969, 0x65735546, 0xff534d42, 0x01021997])

/** Whether the engine can put directories on each other there. */
export function canLayer(directory: string): boolean {
  let path = resolve(directory)
  while (!existsSync(path)) path = dirname(path)
  return process.platform === "linux" && !unfit.has(statfsSync(path).type)
}
