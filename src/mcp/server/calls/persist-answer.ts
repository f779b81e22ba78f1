import { apiNameOf } from "../../../contract/index.ts"
import type { McpClient } from "./mcp-client.ts"
import type { PendingCall } from "./pending-call.ts"

/** What a call answers when nobody listens any more becomes an artifact, which the next connection lists. */
export function keepAnswer(client: McpClient, call: PendingCall): void {
  const { keeping } = client
  const kept = writeAnswer(client, call)
  keeping.add(kept)
  // On a full disk there is no answer to be found, and nobody here to be told.
  kept.catch(() => {}).finally(() => keeping.delete(kept))
}

async function writeAnswer(client: McpClient, call: PendingCall): Promise<void> {
  const { kept, limits, session } = client
  const envelope = await call.envelope
  const { id } = await session.artifacts.keep({
    filename: `${apiNameOf(call.tool).slice(0, 64)}-${call.id}.json`,
    mimeType: "application/json",
    content: new TextEncoder().encode(JSON.stringify(envelope)),
  })
  kept.push(id)
  const tooMany = kept.splice(0, kept.length - limits.keptAnswers)
  await Promise.all(tooMany.map((old) => session.artifacts.remove(old)))
}
