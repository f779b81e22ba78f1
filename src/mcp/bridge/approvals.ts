import { createHash } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { isObject, ToolFailure } from "../../contract/index.ts"
import { canonicalJson, createId, KeyedLock } from "../../kit/index.ts"
import type { ListedTool } from "./read-tool-list.ts"

/** Which definitions of tools somebody has seen, by server and tool. */
export interface Approvals {
  /** Those of the tools whose definition is not the one that was seen first; new ones count as seen. */
  changed(server: string, tools: readonly ListedTool[]): Promise<ReadonlySet<string>>
  /** From now on, these definitions are the ones that were seen. */
  approve(server: string, tools: readonly ListedTool[]): Promise<void>
}

type Fingerprints = Record<string, Record<string, string>>

/** One process, many sessions: they change one file in turn. */
const lock = new KeyedLock()

export function approvalsIn(file: string): Approvals {
  async function update(change: (all: Fingerprints) => boolean): Promise<void> {
    const release = await lock.acquire(file, "exclusive")
    try {
      const all = await read(file)
      if (change(all)) await write(file, all)
    } finally {
      release()
    }
  }
  return {
    async changed(server, tools) {
      const changed = new Set<string>()
      await update((all) => {
        const seen = ofServer(all, server)
        let isNew = false
        for (const tool of tools) {
          const known = Object.hasOwn(seen, tool.name) ? seen[tool.name] : undefined
          if (known === undefined) {
            isNew = true
            define(seen, tool)
          } else if (known !== fingerprint(tool)) changed.add(tool.name)
        }
        return isNew
      })
      return changed
    },
    approve: (server, tools) =>
      update((all) => {
        const seen = ofServer(all, server)
        for (const tool of tools) define(seen, tool)
        return true
      }),
  }
}

function ofServer(all: Fingerprints, server: string): Record<string, string> {
  if (!Object.hasOwn(all, server)) all[server] = {}
  return all[server] ?? {}
}

/** Defined and not assigned, so that no name means anything. */
function define(seen: Record<string, string>, tool: ListedTool): void {
  const value = fingerprint(tool)
  Object.defineProperty(seen, tool.name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Of everything that a model or a person decides by. */
function fingerprint(tool: ListedTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  const definition = { name, title, description, inputSchema, outputSchema, annotations }
  return createHash("sha256").update(canonicalJson(definition)).digest("hex")
}

async function read(file: string): Promise<Fingerprints> {
  try {
    const { servers } = JSON.parse(await readFile(file, "utf8"))
    if (isObject(servers) && Object.values(servers).every(isObject)) return servers as Fingerprints
    throw new Error("it holds something else")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {}
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${file} can't be read (${reason}), so nobody knows which tools were approved; mend or remove it.`
    throw new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause: error })
  }
}

/** Under another name until it is whole. */
async function write(file: string, servers: Fingerprints): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${createId("new")}`
  await writeFile(unfinished, `${JSON.stringify({ servers }, null, 2)}\n`, { mode: 0o600 })
  await rename(unfinished, file)
}
