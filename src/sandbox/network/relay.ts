import { networkLimits } from "../limits.ts"

/**
 * The program inside a sandbox that leads from a port of its loopback to the proxy's socket: programs
 * can be configured with a port, but hardly with a socket. Its arguments are the port and the socket.
 */
export const relayScript = `
const { connect, createServer } = require("node:net")
const [port, path] = process.argv.slice(1)
const options = { allowHalfOpen: true }
const relay = createServer(options, (inner) => {
  const outer = connect({ path, ...options })
  const end = () => { inner.destroy(); outer.destroy() }
  for (const socket of [inner, outer]) socket.on("error", end).once("close", end)
  inner.pipe(outer)
  outer.pipe(inner)
})
relay.once("error", ({ message }) => { console.error(message); process.exit(1) })
relay.listen(Number(port), "127.0.0.1", () => console.log("ready"))
`

/** It only moves bytes: little memory, and few threads of those that the sandbox may have. */
export const relayOptions = [
  ...["--max-old-space-size=32", "--max-semi-space-size=1", "--v8-pool-size=0"],
]

const proxy = `http://127.0.0.1:${networkLimits.port}`
const direct = "localhost,127.0.0.1,::1"

/** Configures programs to use the proxy: some read the upper-case names, some the lower-case ones. */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: direct,
  no_proxy: direct,
  // Node's own fetch reads them only when it is asked to.
  NODE_USE_ENV_PROXY: "1",
}
