import type { SandboxedServer } from "../../../config/index.ts"
import { type Capabilities, ToolFailure } from "../../../contract/index.ts"
import { errorText } from "../../../kit/index.ts"
import type { Session } from "../../../session/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { fillInTexts, serverSecrets } from "./fill-in-variables.ts"
import type { OpenPipe } from "./pipe-transport.ts"
import { describeEnd, requireNoNul } from "./spawn-server.ts"

/** Starts a server as a command in a sandbox of its own. */
export function sandboxedServer(
  server: SandboxedServer,
  { sandboxes }: Pick<Session, "sandboxes">,
  environment: NodeJS.ProcessEnv,
): OpenPipe {
  return async ({ onOutput, onEnd }) => {
    const { can } = sandboxes.host
    requireProcesses(can)
    const env = fillInTexts(server.env, { what: "environment's", environment })
    requireNoNul(server, env)
    const secrets = serverSecrets(server, environment)
    const name = `mcp-${server.name.toLowerCase()}`
    const workspace = await sandboxes.workspace(name)
    const input = new TransformStream<Uint8Array, Uint8Array>()
    const writer = input.writable.getWriter()
    writer.closed.catch(() => {})
    const ending = new AbortController()
    const running = workspace.exec([programOf(server, can), ...server.args], {
      cwd: server.cwd,
      env,
      stdin: input.readable,
      maxOutputBytes: bridgeLimits.complaintBytes,
      signal: ending.signal,
      onOutput: ({ stream, bytes }) => {
        if (stream === "stdout") onOutput(bytes)
      },
    })
    const ended = running.then(
      ({ exitCode, stderrBytes, omitted }) => {
        const half = Math.floor(bridgeLimits.complaintBytes / 2)
        const [head, tail] = [stderrBytes.subarray(0, half), stderrBytes.subarray(half)]
        const how = `It ended with exit code ${exitCode}`
        onEnd(describeEnd({ how, head, tail, omitted: omitted.stderr }, secrets))
      },
      (error: unknown) => onEnd(errorText(error)),
    )
    return {
      // Nothing reads what is written to a server that has ended.
      write: (text) => Promise.race([writer.write(Buffer.from(text)).catch(() => {}), ended]),
      async close() {
        ending.abort(new Error("The session no longer needs it."))
        await ended
      },
    }
  }
}

function requireProcesses({ host, isolation, background }: Capabilities): void {
  if (isolation !== "none" && background) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `It needs a sandbox with processes, which the ${host} host does not have: use bubblewrap or docker.`,
    retryable: false,
  })
}

/** Sandboxes have an injected Node, whether or not one is installed. */
function programOf({ command }: SandboxedServer, { languages }: Capabilities): string {
  return command === "node" ? (languages.javascript?.[0] ?? command) : command
}
