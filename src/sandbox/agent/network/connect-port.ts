import type { Connection } from "../../../contract/index.ts"
import { onAbort } from "../../../kit/index.ts"
import type { OperationControl } from "../../host/operation.ts"
import { nobodyListens } from "../../host/unsupported.ts"
import { type AgentScope, runCommand } from "../commands/run-command.ts"
import { agentRunScript } from "../files/file-operations.ts"

/** Servers listen on either; their authors have rarely decided which. */
const script = `{ exec 3<>"/dev/tcp/127.0.0.1/$1" || exec 3<>"/dev/tcp/::1/$1" || exit 7; } 2>/dev/null
echo connected >&2
cat <&0 >&3 2>/dev/null & writer=$!
cat <&3
kill "$writer" 2>/dev/null; exit 0`

/** Both directions of a connection inside are the input and the output of a command there. */
export async function connectPort(
  { port }: { readonly port: number },
  control: OperationControl,
  scope: AgentScope,
): Promise<Connection> {
  const closing = new AbortController()
  const connected = Promise.withResolvers<void>()
  const incoming = new TransformStream<Uint8Array, Uint8Array>({}, {}, { highWaterMark: 4 })
  const outgoing = new TransformStream<Uint8Array, Uint8Array>()
  const writer = incoming.writable.getWriter()
  const close = () => closing.abort(new Error("The connection was closed."))
  writer.closed.catch(close)
  const stopListening = onAbort(control.signal, () => closing.abort(control.signal.reason))

  const running = runCommand(
    agentRunScript(script, { path: String(port) }),
    {
      signal: closing.signal,
      graceMs: () => 0,
      input: outgoing.readable,
      onOutput: ({ stream, bytes }) => {
        if (stream === "stdout") return writer.write(bytes)
        connected.resolve()
      },
    },
    scope,
  )
  running
    .then(
      ({ exitCode, ending }) => {
        const { reason } = closing.signal
        connected.reject(ending.kind === "aborted" ? reason : nobodyListens(port))
        return exitCode === 0 ? writer.close() : writer.abort(reason)
      },
      (error: unknown) => {
        connected.reject(error)
        return writer.abort(error)
      },
    )
    .catch(() => {})
  await connected.promise
  // Once it stands, only its user ends it.
  stopListening()
  return { readable: incoming.readable, writable: outgoing.writable, close }
}
