import { join } from "node:path"
import type { HomeStack } from "./home-stack.ts"

/** The kernel takes the options of a mount as one page. */
const mostBytes = 4000

/** Beside the writable directory: what the kernel needs for its own work. */
export function workDirectory({ writable }: HomeStack): string {
  return join(writable, "..", "work")
}

export interface OverlayTraits {
  /** What an ordinary user may do in a user namespace. */
  readonly isPrivileged: boolean
  /** Whether what is written has to outlive the machine's sudden end as far as its programs ask for it. */
  readonly isKept: boolean
}

/** `nameOf` turns a path into the form that is passed to the kernel. */
export function overlayOptions(
  stack: HomeStack,
  { isPrivileged, isKept }: OverlayTraits,
  nameOf: (path: string) => string = (path) => path,
): string {
  const { writable, layers } = stack
  return [
    // Without the first a directory of a layer can only be copied, not renamed.
    ...(isPrivileged ? ["redirect_dir=on", "index=off", "metacopy=off"] : ["userxattr"]),
    // Else the end of each sandbox waits until all of this machine's files are on the disk.
    ...(isKept ? [] : ["volatile"]),
    `lowerdir=${layers.map(nameOf).join(":")}`,
    `upperdir=${nameOf(writable)}`,
    `workdir=${nameOf(workDirectory(stack))}`,
  ].join(",")
}

/** How many layers of which the longest is that long can be named to the kernel. */
export function layersThatFit(longest: string, most: number): number {
  const others = overlayOptions(
    { writable: longest, layers: [] },
    { isPrivileged: true, isKept: false },
  )
  const room = mostBytes - others.length - 64
  return Math.max(1, Math.min(most, Math.floor(room / (longest.length + 1))))
}
