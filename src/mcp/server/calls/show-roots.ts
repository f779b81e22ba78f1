import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server"
import type { Mount } from "../../../sandbox/index.ts"
import type { McpClient } from "./mcp-client.ts"

/** The state that a client sends back with its roots. */
export const rootsState = "roots"

export type RootsShown =
  | { readonly kind: "ready" }
  | { readonly kind: "ask"; readonly question: InputRequiredResult }
  | { readonly kind: "failed"; readonly error: unknown }

/** Before a client's first call: asks it for its roots, and mounts them in its sandbox. */
export async function showRoots(
  client: McpClient,
  { mcpReq }: ServerContext,
  hasRoots: boolean,
): Promise<RootsShown> {
  const { mountRoots } = client.options
  if (mountRoots === undefined) return { kind: "ready" }
  if (client.roots === null) {
    const given = inputResponse(mcpReq.inputResponses, rootsState)
    if (given.kind === "roots") {
      const uris = given.roots.map(({ uri }) => uri)
      client.roots = mountRootsOf(client, uris, mountRoots === "write")
    } else if (mcpReq.requestState() === undefined && hasRoots) {
      const inputRequests = { [rootsState]: inputRequired.listRoots() }
      const requestState = await client.states.mint(rootsState)
      return { kind: "ask", question: inputRequired({ inputRequests, requestState }) }
    }
  }
  try {
    await client.roots
    return { kind: "ready" }
  } catch (error) {
    // The next call tries again.
    client.roots = null
    return { kind: "failed", error }
  }
}

async function mountRootsOf(
  { session, options }: McpClient,
  uris: readonly string[],
  writable: boolean,
): Promise<void> {
  const name = options.sandbox ?? "default"
  await session.sandboxes.create({ name, mounts: mountsOf(uris, writable) })
}

/** Each under its own name in /mnt; a second one of the same name gets a number. */
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
