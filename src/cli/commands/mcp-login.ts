import { findServer, readServers } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { markUnseen } from "../../kit/index.ts"
import { loadLogin } from "../../mcp/index.ts"
import { toolkeepHome } from "../../session/index.ts"
import { UsageError } from "../flags/command.ts"
import { readPolicy } from "../flags/open-session.ts"
import type { Arguments } from "../flags/read-arguments.ts"
import { readPort } from "../flags/read-flags.ts"
import type { Terminal } from "../output/terminal.ts"
import { stopSignal } from "./stop-signal.ts"

/** `toolkeep mcp login <server>`: prints where to log in, and waits for the browser to come back. */
export async function mcpLogin(
  name: string,
  given: Arguments,
  terminal: Terminal,
): Promise<number> {
  const server = await readHttpServer(name, given)
  if (server.access.kind !== "login") {
    throw new UsageError(
      `toolkeep.yaml already configures how to authenticate to ${name}; no login is needed.`,
    )
  }
  const { loginToServer } = await loadLogin()
  const onAddress = async (address: URL) => {
    await terminal.print(
      `Open this address in a browser of this machine; the login is at ${address.host}:\n\n${address.href}\n\n`,
    )
    const back = address.searchParams.get("redirect_uri")
    terminal.note(`Waiting for the browser to come back to ${markUnseen(String(back))}\n`)
  }
  const port = readPort(given.text("port"))
  const signal = stopSignal()
  const options = { home: toolkeepHome(), environment: process.env, port, onAddress, signal }
  try {
    await loginToServer(server, options)
    await terminal.print(`Logged in to ${name}.\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    terminal.note(`toolkeep: ${error.message}\n`)
    return 1
  }
}

/** `toolkeep mcp logout <server>`: forgets its tokens, also those for an address that it had before. */
export async function mcpLogout(
  name: string,
  given: Arguments,
  terminal: Terminal,
): Promise<number> {
  const server = await readHttpServer(name, given)
  const { logOutOfServer } = await loadLogin()
  const wasThere = await logOutOfServer(server, toolkeepHome())
  const said = wasThere ? `Removed the login to ${name}` : `There was no login to ${name}`
  await terminal.print(`${said}.\n`)
  return 0
}

async function readHttpServer(name: string, given: Arguments) {
  const policy = await readPolicy(given)
  const server = findServer(typeof policy === "string" ? [] : readServers(policy), name)
  if (server.kind === "http") return server
  throw new UsageError(`${name} has no url; only servers with a url need a login.`)
}
