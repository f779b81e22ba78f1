import { deflateRawSync } from "node:zlib"
import type { Workspace } from "../../../src/contract/index.ts"
import type { Script } from "./hostile-http.ts"

const port = 8_100

/** Answers each request with the script that its path carries, and any other with a plain page. */
const program = `
const net = require("node:net"), zlib = require("node:zlib")
const plain = "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nplain"
const turn = (ms) => new Promise((resume) => setTimeout(resume, ms))
async function play(socket, [pieces, ending]) {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(Buffer.from(piece, "base64"))
    await turn(1)
  }
  if (ending === "end") socket.end()
  else if (ending === "destroy") socket.destroySoon()
  else if (ending === "reset") socket.resetAndDestroy()
  await turn(100)
  socket.destroy()
}
net.createServer({ allowHalfOpen: true }, (socket) => {
  let heard = ""
  socket.on("error", () => {}).on("end", () => socket.end())
  socket.setEncoding("latin1").on("data", (text) => {
    const wasWhole = heard.includes("\\r\\n\\r\\n")
    heard += text
    if (wasWhole || !heard.includes("\\r\\n\\r\\n")) return
    const [, script] = /^\\S+ \\/script\\/([\\w-]+) /.exec(heard) ?? []
    if (script) play(socket, JSON.parse(zlib.inflateRawSync(Buffer.from(script, "base64url"))))
    else socket.end(plain)
  })
}).listen(${port}, "127.0.0.1")
`

/** Starts it in a sandbox; gives its port. */
export async function startHostileInside(workspace: Workspace): Promise<number> {
  const [node = "node"] = workspace.can.languages.javascript ?? []
  // Its first use puts Node there.
  await workspace.runCode("javascript", "0")
  await workspace.writeFile("hostile.cjs", program)
  await workspace.processes.start([node, "hostile.cjs"])
  for (let tries = 2_000; ; tries -= 1) {
    try {
      ;(await workspace.connect(port)).close()
      return port
    } catch (error) {
      if (tries === 0) throw error
      await new Promise((resume) => setTimeout(resume, 50))
    }
  }
}

/** The path that makes the server inside answer so. */
export function pathOf({ pieces, ending }: Script): string {
  const said = JSON.stringify([pieces.map((piece) => piece.toString("base64")), ending])
  return `/script/${deflateRawSync(said).toString("base64url")}`
}
