import { ToolFailure } from "../contract/index.ts"
import { createPreviews, type Previews, type PreviewTarget } from "../sandbox/index.ts"
import type { ToolDeps } from "./tool-deps.ts"

/** The previews of a session: what sandbox.browse gives out, and what its browser may therefore open. */
export interface SessionPreviews {
  /** The address of a server inside, up to its path. */
  url(target: PreviewTarget): Promise<string>
  /** Whether exactly this place was given out: its name at another port is another server's. */
  gave(host: string, port: number): boolean
}

/** Opened by the first address that is asked for, and not after the session's end, which a call may overlap. */
export function sessionPreviews({
  session,
  sandboxes,
  previewHub,
  onClose,
}: ToolDeps): SessionPreviews {
  const given = new Set<string>()
  let opened: Promise<Previews> | null = null
  let isClosed = false
  let leave = () => {}
  onClose(async () => {
    isClosed = true
    await (await opened)?.close()
    leave()
  })

  async function open(): Promise<Previews> {
    const previews = await createPreviews({ session, sandboxes, serverPort: previewHub?.port() })
    leave = previewHub?.add(previews) ?? leave
    return previews
  }

  return {
    async url(target) {
      if (isClosed) {
        throw new ToolFailure({ kind: "unavailable", message: "The session is closed." })
      }
      opened ??= open()
      const url = await (await opened).url(target)
      given.add(new URL(url).host)
      return url
    },
    gave: (host, port) => given.has(`${host}:${port}`),
  }
}
