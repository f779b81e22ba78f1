// Two sandboxes build one site: eight calls in a vocabulary of their own, and a page in the browser.
import assert from "node:assert/strict"
import { request } from "node:http"
import { openToolkeep } from "toolkeep"

// Nothing is downloaded here, so both images are this machine's own programs.
const images = { "node:22": "host", "python:3.12": "host" }
const keep = await openToolkeep({ host: "bubblewrap", images, dialect: "cloudflare" })
const session = keep.session("shop")

/** Calls a tool; what it answers is JSON as text. */
async function use(tool: string, input: object): Promise<Record<string, unknown>> {
  const envelope = await session.start(tool, input).envelope
  const answer = session.render(envelope)
  assert(typeof answer === "object" && "content" in answer && !("isError" in answer))
  console.log(`${tool}: ${answer.content}`)
  return JSON.parse(answer.content)
}

// In place of what npm and pip would fetch: a bundler and a web server, each of a few lines.
const bundler = `mkdir -p dist/assets
cat src/*.js > dist/assets/index.js
sed 's|src/main.js|/assets/index.js|' index.html > dist/index.html
`
const server = `import importlib, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
sys.path.insert(0, "")
module, name = sys.argv[1].split(":")
app = getattr(importlib.import_module(module), name)
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, body = app(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body or b"not found")
ThreadingHTTPServer((sys.argv[3], int(sys.argv[5])), Handler).serve_forever()
`
const main = `import pathlib
static = pathlib.Path("static")
def app(path):
    if path == "/api/price": return "application/json", b'{"price": 42}'
    file = static / (path.strip("/") or "index.html")
    return "text/html", file.read_bytes() if file.is_file() else None
`

// 1, 2: two sandboxes, which share neither files nor network.
await use("sandbox_create", { sandbox: "frontend", image: "node:22" })
await use("sandbox_create", { sandbox: "backend", image: "python:3.12" })
const frontend = await session.workspace("frontend")
await frontend.writeFile("packages/bundle.sh", bundler)
await frontend.writeFile("packages/app/src/main.js", `document.title = "Shop"\n`)
await frontend.writeFile(
  "packages/app/index.html",
  `<h1>Shop</h1><script src="src/main.js"></script>\n`,
)
await (await session.workspace("backend")).writeFile("packages/server.py", server)

// 3 to 5: each builds its own part.
await use("shell", {
  sandbox: "frontend",
  command: "cp -r packages/app app && cd app && bash ../packages/bundle.sh",
})
await use("shell", { sandbox: "backend", command: "cp packages/server.py . && mkdir app" })
await use("write_file", { sandbox: "backend", path: "/home/user/app/main.py", content: main })

// 6: what the one has built goes to the other.
const moved = await use("transfer", {
  ...{ from_sandbox: "frontend", from_path: "/home/user/app/dist" },
  ...{ to_sandbox: "backend", to_path: "/home/user/app/static", recursive: true },
})
assert.deepEqual(moved, { ok: true, bytes: 78 })

// 7, 8: a server that goes on after its call, and the address at which a browser opens it.
await use("shell", {
  sandbox: "backend",
  command: "cd /home/user/app && python3 ../server.py main:app --host 0.0.0.0 --port 8000 &",
})
const { url } = await use("browse", { sandbox: "backend", port: 8000 })
assert.match(String(url), /^http:\/\/8000-backend-shop\.localhost:\d+\/$/)

/** Browsers know that `*.localhost` is this machine; here it is said. */
function fetchText(address: string): Promise<string> {
  const { host, port, pathname } = new URL(address)
  const where = { host: "127.0.0.1", port, path: pathname, headers: { Host: host } }
  return new Promise((resolve, reject) => {
    const asked = request(where, async (response) => resolve((await response.toArray()).join("")))
    asked.on("error", reject).end()
  })
}
const page = await fetchText(String(url))
assert.equal(page, `<h1>Shop</h1><script src="/assets/index.js"></script>\n`)
assert.equal(await fetchText(`${url}assets/index.js`), `document.title = "Shop"\n`)
assert.equal(await fetchText(`${url}api/price`), '{"price": 42}')
console.log(page)

await session.destroy()
await keep.close()
