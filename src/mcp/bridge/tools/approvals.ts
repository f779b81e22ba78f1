import { readFile } from "node:fs/promises"
import { isObject, ToolFailure } from "../../../contract/index.ts"
import { canonicalJson, errorCode, errorText } from "../../../kit/index.ts"
import { replaceFile, sha256 } from "../../../node/index.ts"
import { lockFile } from "../../../store/index.ts"
import type { ListedTool } from "../connection/read-tool-list.ts"

export type Approvals = ReturnType<typeof approvalsIn>

type Fingerprints = Record<string, Record<string, string>>

/** The approved definitions of tools, by server and tool; the first one seen is approved. */
export function approvalsIn(file: string) {
  /** One at a time, across sessions and processes. */
  async function update(change: (all: Fingerprints) => void): Promise<void> {
    const release = await lockFile(file)
    try {
      const all = await read(file)
      change(all)
      await replaceFile(file, `${JSON.stringify({ servers: all }, null, 2)}\n`)
    } finally {
      release()
    }
  }
  return {
    /** The tools whose definition is not the approved one; definitions of new tools are approved. */
    async changed(server: string, tools: readonly ListedTool[]): Promise<ReadonlySet<string>> {
      const isNew = ({ name }: ListedTool) => !Object.hasOwn(seen, name)
      // The file is always whole, so reading it needs no lock.
      let seen = ofServer(await read(file), server)
      if (tools.some(isNew)) {
        await update((all) => {
          seen = ofServer(all, server)
          for (const tool of tools.filter(isNew)) define(seen, tool)
        })
      }
      const changed = tools.filter((tool) => seen[tool.name] !== fingerprint(tool))
      return new Set(changed.map(({ name }) => name))
    },
    approve: (server: string, tools: readonly ListedTool[]) =>
      update((all) => {
        const seen = ofServer(all, server)
        for (const tool of tools) define(seen, tool)
      }),
  }
}

function ofServer(all: Fingerprints, server: string): Record<string, string> {
  if (!Object.hasOwn(all, server)) all[server] = {}
  return all[server] ?? {}
}

/** Defined and not assigned, so that names such as `__proto__` are names. */
function define(seen: Record<string, string>, tool: ListedTool): void {
  const value = fingerprint(tool)
  Object.defineProperty(seen, tool.name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Everything that a model or a person bases a decision on. */
export function definitionOf(tool: ListedTool): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return { name, title, description, inputSchema, outputSchema, annotations }
}

function fingerprint(tool: ListedTool): string {
  return sha256(canonicalJson(definitionOf(tool)))
}

async function read(file: string): Promise<Fingerprints> {
  try {
    const { servers } = JSON.parse(await readFile(file, "utf8"))
    if (isObject(servers) && Object.values(servers).every(isObject)) return servers as Fingerprints
    throw new Error("it holds something else")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {}
    const message = `${file} can't be read (${errorText(error)}), so it is unknown which tools were approved; fix or remove it.`
    throw new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause: error })
  }
}
