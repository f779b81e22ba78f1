import { chmodSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { loginsIn } from "../../src/mcp/bridge/oauth/logins.ts"
import { approvalsIn } from "../../src/mcp/bridge/tools/approvals.ts"
import { readTokenFile } from "../../src/mcp/server/http/access/check-access.ts"
import { openToolkeep } from "../../src/session/index.ts"

/** Started by the test beside it with a home and a user: uses all that writes to a home, under an umask that closes nothing. */
const [home = "", user = "0", image = ""] = process.argv.slice(2)
process.umask(0)
if (process.getuid?.() === 0 && user !== "0") {
  process.setgroups?.([])
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}

/** All that has a mode of its own, as `path` → mode. */
function walk(path = home, found: Record<string, string> = {}): Record<string, string> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats || stats.isSymbolicLink()) return found
  found[path.slice(home.length + 1) || "."] = (stats.mode & 0o777).toString(8)
  if (!stats.isDirectory()) return found
  try {
    for (const name of readdirSync(path)) walk(join(path, name), found)
  } catch (error) {
    // The kernel's own directory of an overlay, which its owner can't read either.
    if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error
  }
  return found
}

async function use(): Promise<Record<string, string>> {
  await using keep = await openToolkeep({
    host: "bubblewrap",
    home,
    durable: true,
    images: { image },
  })
  readTokenFile(join(home, "token"))
  const session = keep.session("walked")
  const other = keep.session("other", { memory: "somebody" })
  const calls = [
    session.call("file.write", { path: "a.txt", content: "a" }),
    session.call("memory.write", { namespace: "user", content: "Prefers tea." }),
    other.call("memory.write", { namespace: "user", content: "Prefers coffee." }),
    session.call("sandbox.create", { sandbox: "web" }),
    session.call("sandbox.create", { sandbox: "small", image: "image" }),
  ]
  for (const envelope of await Promise.all(calls))
    if (!envelope.ok) throw new Error(envelope.message)
  for (const [tool, input] of [
    ["artifact.share", { path: "a.txt" }],
    ["shell.exec", { command: "echo b > /tmp/b; echo c", sandbox: "web" }],
    ["sandbox.snapshot", { sandbox: "web" }],
    ["sandbox.fork", { sandbox: "web", to: "fork" }],
    ["code.run", { language: "javascript", code: "console.log(1)" }],
  ] as const) {
    const envelope = await session.call(tool, input)
    if (!envelope.ok) throw new Error(`${tool}: ${envelope.message}`)
  }
  await approvalsIn(join(home, "mcp", "approved.json")).changed("tracker", [
    { name: "list", description: "Lists.", inputSchema: { type: "object" } } as never,
  ])
  const server = { name: "tracker", url: new URL("https://mcp.example.com/mcp") } as never
  await loginsIn(home).change(server, (login) => login)
  await using local = await openToolkeep({ host: "local", home, directory: home })
  const inside = await local.session().call("shell.exec", { command: "true", sandbox: "build" })
  if (!inside.ok) throw new Error(inside.message)
  return walk()
}

const during = await use()
const after = walk()

/** As versions left it that did not care. */
function open(path: string): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return
  chmodSync(path, stats.isDirectory() ? 0o777 : 0o666)
  if (stats.isDirectory()) for (const name of readdirSync(path)) open(join(path, name))
}
for (const name of readdirSync(home)) if (!/^(bubblewrap|local)$/.test(name)) open(join(home, name))
chmodSync(join(home, "local"), 0o755)
for (const path of [home, join(home, "bubblewrap")]) chmodSync(path, 0o755)
for (const name of readdirSync(join(home, "bubblewrap"))) {
  chmodSync(join(home, "bubblewrap", name), 0o755)
}
await using _keep = await openToolkeep({ host: "memory", home })
console.log(JSON.stringify({ during, after, repaired: walk() }))
