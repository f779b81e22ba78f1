import type { McpClient } from "./mcp-client.ts"

/** What a connected server is asked to do. */
interface Announcer {
  onclose?: (() => void) | undefined
  sendToolListChanged(): Promise<void>
}

/** Tells a client that is connected when its list of tools has changed, until it is gone. */
export function announceTools(client: McpClient, server: Announcer): void {
  const stop = watchClientTools(client, () => {
    // A client that is gone needs no list.
    server.sendToolListChanged().catch(() => {})
  })
  const { onclose } = server
  server.onclose = () => {
    stop()
    onclose?.()
  }
}

/** Other vocabularies always show all their tools. */
export function watchClientTools({ session, settings }: McpClient, watcher: () => void) {
  return settings.speak ? () => {} : session.watchTools(watcher)
}
