import { parentPort, workerData } from "node:worker_threads"
import { installByteText } from "./shell/byte-text.ts"

// Only Node needed it, to start this thread.
delete process.env.NODE_COMPILE_CACHE
// Before the shell loads: it keeps the codecs that it finds then.
installByteText(globalThis)
const { serveShell } = await import("./shell/serve-shell.ts")
if (parentPort) serveShell(parentPort, workerData)
