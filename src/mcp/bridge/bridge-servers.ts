import { type PolicyConfig, readServers } from "../../config/index.ts"
import type { OpenToolSource } from "../../session/index.ts"
import type { Bridge } from "./create-bridge.ts"

/** Loaded on first use: most sessions bridge no server, and a server that is started need not wait for it. */
export const loadBridge = () => import("./create-bridge.ts")

/** Most sessions never log in, so the code for it is loaded on first use. */
export const loadLogin = () => import("./oauth/login-to-server.ts")

/**
 * The tools of a configuration's MCP servers, as `sources` of `openToolkeep`. Each session has servers
 * of its own. None starts before the tools are listed (`session.prepare()`) or one of them is called.
 */
export function bridgeServers(config: PolicyConfig): OpenToolSource {
  const specs = readServers(config)
  return (deps) => {
    const open = async () => (await loadBridge()).createBridge(specs, deps)
    let bridge: Promise<Bridge> | undefined
    return {
      async prepare(tool, signal) {
        bridge ??= open()
        await (await bridge).prepare(tool, signal)
      },
      async close() {
        await (await bridge)?.close()
      },
    }
  }
}
