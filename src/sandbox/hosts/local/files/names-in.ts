import { readdir } from "node:fs/promises"
import type { Held } from "./hold.ts"

/** As bytes: a name need not be UTF-8, and still can be moved, copied and removed. */
export async function namesIn({ at }: Held): Promise<readonly Buffer[]> {
  return (await readdir(at, { encoding: "buffer" })).sort(Buffer.compare)
}

export function placeIn({ at }: Held, name: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${at}/`), Buffer.from(name)])
}
