import { createPreviews, type Previews, type PreviewTarget } from "../sandbox/index.ts"
import type { ToolParts } from "./tool-parts.ts"

/** The previews of a session: what sandbox.browse gives out, and what its browser may therefore open. */
export interface SessionPreviews {
  /** The address of a server inside, up to its path. */
  url(target: PreviewTarget): Promise<string>
  /** Whether exactly this place was given out: its name at another port is another server's. */
  gave(host: string, port: number): boolean
}

/** Opened by the first address that is asked for. */
export function sessionPreviews({ session, sandboxes, onClose }: ToolParts): SessionPreviews {
  const given = new Set<string>()
  let opened: Promise<Previews> | null = null

  async function open(): Promise<Previews> {
    const previews = await createPreviews({ session, sandboxes })
    onClose(() => previews.close())
    return previews
  }

  return {
    async url(target) {
      opened ??= open()
      const url = await (await opened).url(target)
      given.add(new URL(url).host)
      return url
    },
    gave: (host, port) => given.has(`${host}:${port}`),
  }
}
