import { apiNameOf } from "../../contract/index.ts"
import type { Artifacts } from "../../store/index.ts"
import type { McpClient } from "./mcp-client.ts"
import type { PendingCall } from "./pending-call.ts"

/** What a call answers when nobody listens any more becomes an artifact, which the next connection lists. */
export function keepAnswer({ session, keeping }: McpClient, call: PendingCall): void {
  const kept = writeAnswer(session.artifacts, call)
  keeping.add(kept)
  // On a full disk there is no answer to be found, and nobody here to be told.
  kept.catch(() => {}).finally(() => keeping.delete(kept))
}

async function writeAnswer(artifacts: Artifacts, call: PendingCall): Promise<void> {
  const envelope = await call.envelope
  await artifacts.keep({
    filename: `${apiNameOf(call.tool).slice(0, 64)}-${call.id}.json`,
    mimeType: "application/json",
    content: new TextEncoder().encode(JSON.stringify(envelope)),
  })
}
