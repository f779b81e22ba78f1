import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server"
import type { Mount } from "../../../sandbox/index.ts"
import type { ToolRequest } from "./call-tool.ts"
import { hasRoots } from "./client-capabilities.ts"
import type { McpClient } from "./mcp-client.ts"

/** What a client gives back with its roots. */
export const rootsState = "roots"

export type RootsShown =
  | { readonly kind: "ready" }
  | { readonly kind: "ask"; readonly question: InputRequiredResult }
  | { readonly kind: "failed"; readonly error: unknown }

/** Before a client's first call: asks it for its roots, and shows them in its sandbox. */
export async function showRoots(
  client: McpClient,
  { context, declared }: ToolRequest,
): Promise<RootsShown> {
  const { mountRoots } = client.settings
  if (mountRoots === undefined) return { kind: "ready" }
  if (client.roots === null) {
    const given = inputResponse(context.mcpReq.inputResponses, rootsState)
    if (given.kind === "roots") {
      const uris = given.roots.map(({ uri }) => uri)
      client.roots = mountRootsOf(client, uris, mountRoots === "write")
    } else if (context.mcpReq.requestState() === undefined && hasRoots(context, declared)) {
      const inputRequests = { [rootsState]: inputRequired.listRoots() }
      const requestState = await client.states.mint(rootsState)
      return { kind: "ask", question: inputRequired({ inputRequests, requestState }) }
    }
  }
  try {
    await client.roots
    return { kind: "ready" }
  } catch (error) {
    // What could not be shown may be there the next time.
    client.roots = null
    return { kind: "failed", error }
  }
}

async function mountRootsOf(
  { session, settings }: McpClient,
  uris: readonly string[],
  writable: boolean,
): Promise<void> {
  const name = settings.sandbox ?? "default"
  await session.sandboxes.create({ name, mounts: mountsOf(uris, writable) })
}

/** Each under its own name in /mnt; of two alike, the second has a number. */
function mountsOf(uris: readonly string[], writable: boolean): Mount[] {
  const taken = new Set<string>()
  return uris
    .filter((uri) => uri.startsWith("file://"))
    .map((uri) => {
      const source = fileURLToPath(uri)
      const plain = basename(source)
        .replaceAll(/[^A-Za-z0-9_.-]/g, "_")
        .replace(/^[.-]+/, "")
      const name = (plain || "root").slice(0, 90)
      let target = `/mnt/${name}`
      for (let number = 2; taken.has(target); number += 1) target = `/mnt/${name}-${number}`
      taken.add(target)
      return { source, target, writable }
    })
}
