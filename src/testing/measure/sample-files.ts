import type { Workspace } from "../../contract/index.ts"
import { sha256 } from "../../node/index.ts"

/** Names that are easily read as something else. */
export const oddNames: readonly string[] = [
  "日本語 🎉",
  " two words ",
  "two\nlines",
  "ends with a line break\n",
  "-rf",
  "--help",
  "$(id) `id` $HOME",
  'it\'s "quoted" back\\slash',
  "*?[a]{b,c}~",
]

/** Bytes of every value in no simple order, always the same for one seed. */
export function sampleBytes(length: number, seed = 1): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = seed * 0x9e3779b1
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return new Uint8Array(words.buffer).subarray(0, length)
}

/** Everything below a directory, one line each: type, permission bits, content or where a link leads, name. */
export async function describeTree(workspace: Workspace, path: string): Promise<string[]> {
  const lines: string[] = []
  for (const { name, type } of await workspace.readdir(path)) {
    const inner = `${path}/${name}`
    const shown = JSON.stringify(name)
    if (type === "symlink") {
      lines.push(`link to ${await targetOf(workspace, inner)}: ${shown}`)
      continue
    }
    const { mode } = await workspace.stat(inner)
    const bits = workspace.can.fileModes ? ` ${mode.toString(8)}` : ""
    if (type === "directory") {
      const below = await describeTree(workspace, inner)
      lines.push(`directory${bits}: ${shown}`, ...below.map((line) => `  ${line}`))
    } else {
      const content = await workspace.readFileBuffer(inner)
      lines.push(`${type}${bits} ${content.length} ${digest(content)}: ${shown}`)
    }
  }
  return lines
}

async function targetOf(workspace: Workspace, link: string): Promise<string> {
  const { stdout } = await workspace.exec('readlink "$LINK"', { env: { LINK: link } })
  return stdout.trimEnd()
}

export function digest(content: Uint8Array): string {
  return sha256(content).slice(0, 16)
}
