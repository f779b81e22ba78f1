import type { AddressInfo, Server } from "node:net"
import { errorCode } from "../kit/index.ts"

/** Listens where only this machine can connect; on a free port if this one is taken and `isFixed` is false. */
export async function listenOnLoopback(
  server: Server,
  port: number,
  isFixed: boolean,
): Promise<number> {
  try {
    return await listenAt(server, "127.0.0.1", port)
  } catch (error) {
    if (isFixed || errorCode(error) !== "EADDRINUSE") throw error
    return listenAt(server, "127.0.0.1", 0)
  }
}

/** Listens at an address of this machine, and says on which port. */
export function listenAt(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, address, () => {
      // Later errors are about connections that could not be accepted.
      server.off("error", reject).on("error", () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}
