import type { Socket } from "node:net"
import type { Script } from "./hostile-http.ts"

/** Sends what a script says, piece by piece, and ends as it says. Resolves when that is done. */
export async function play(socket: Socket, { pieces, ending }: Script): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece)
    // Each in a packet of its own, as far as the kernel lets it.
    await turns(1)
  }
  if (ending === "stay") return
  if (ending === "end") socket.end()
  else if (ending === "destroy") socket.destroySoon()
  // Only TCP knows how to reset.
  else if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** Time as this process has it: on a busy machine, each turn of its loop takes longer. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await new Promise((resume) => setTimeout(resume, 1))
  }
}
