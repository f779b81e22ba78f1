// Named sandboxes with a life: processes in the background, trees handed over, sleep, and a next time.
import assert from "node:assert/strict"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openToolkeep } from "toolkeep"

// Root's sandboxes are users of their own, and have to be able to walk there.
const home = mkdtempSync(
  join(process.getuid?.() === 0 ? "/var/tmp" : tmpdir(), "toolkeep-example-"),
)
chmodSync(home, 0o755)
const open = () => openToolkeep({ host: "auto", durable: true, home })

const keep = await open()
const session = keep.session("shop")
const { sandboxes } = session
const seen: string[] = []
session.listen((event) => "sandbox" in event && seen.push(`${event.sandbox}: ${event.kind}`))

const build = await session.workspace("build")
await build.writeFile("site/index.html", "<h1>Open</h1>\n")
const web = await session.workspace("web")
const moved = await sandboxes.transfer(
  { sandbox: "build", path: "site" },
  { sandbox: "web", path: "public" },
  { recursive: true },
)
assert.deepEqual(moved, { bytes: 14 })

if (web.can.background) {
  const ticking = await web.processes.start("while :; do echo tick; sleep 0.1; done")
  await new Promise((resume) => setTimeout(resume, 500))
  assert.match((await web.processes.output(ticking.id)).text, /^tick\n/)
  assert.deepEqual((await web.processes.kill(ticking.id)).state, { kind: "killed", by: "user" })
}

await sandboxes.sleep("web")
assert.equal(sandboxes.list().find(({ name }) => name === "web")?.status, "sleeping")
assert.equal(await web.readFile("public/index.html"), "<h1>Open</h1>\n") // which wakes it

const { durable } = keep.host.can
await keep.close()
console.log(seen.join("\n"))

// Another process, another day: where the host keeps files, they are all there.
const later = await open()
const found = later.session("shop").sandboxes.list()
assert.deepEqual(
  found.map(({ name, status }) => `${name} ${status}`),
  durable ? ["build sleeping", "web sleeping"] : [],
)
await later.session("shop").destroy()
await later.close()
rmSync(home, { recursive: true, force: true })
