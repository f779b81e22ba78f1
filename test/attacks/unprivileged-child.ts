import "../../src/sandbox/hosts/bubblewrap/bubblewrap-sandbox.ts"
import { bubblewrapHost, createPool, createWorkspace } from "../../src/sandbox/index.ts"
import { openStandIn } from "../support/sandbox/stand-in-fixture.ts"
import { openEverything, overwrite } from "./agent-scripts.ts"
import { commandMs } from "./attack-ground.ts"

/** Started by the test beside it with a directory and a user: attacks as an ordinary user's sandbox. */
const [directory = "", user = "", canary = ""] = process.argv.slice(2)
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}

const standIn = await openStandIn()
const host = bubblewrapHost({ directory, dialer: standIn.dialer })
const pool = createPool(host)
const workspace = await pool.workspace()
const print = async (command: string) =>
  (await workspace.exec(command, { timeoutMs: commandMs })).stdout
const listed = await host.create({
  name: "listed",
  network: { kind: "allow-list", domains: ["allowed.example"] },
})
const names = ["allowed.example", "other.example", "169.254.169.254"]
const asked = names.map((name) => `curl -sS http://${name}/`).join("; ")

/** How a command ends after the agent was tampered with. */
async function after(tampering: string) {
  await print(tampering).catch(() => {})
  const ended = await workspace.exec("sleep 1000", { timeoutMs: 200 }).catch(({ kind }) => kind)
  return [ended.ending?.kind ?? ended, await print("echo alive")]
}

const report = {
  user: process.getuid?.(),
  status: await print("id -u; grep -E '^(CapBnd|NoNewPrivs|Seccomp:)' /proc/self/status"),
  canary: await print(`cat ${canary} /proc/*/root${canary} /proc/*/cwd${canary} 2>&1`),
  ownFiles: await print(`ls -d ${directory} /proc/*/root${directory} 2>/dev/null`),
  exchange: await print(
    "cd /run/toolkeep; { rm -f 0.out; echo x >0.cmd; touch new; } 2>&1; ls new",
  ),
  network: await print("(echo >/dev/tcp/169.254.169.254/80) 2>&1"),
  allowList: (await createWorkspace(listed).exec(asked, { timeoutMs: commandMs })).stdout,
  bomb: await print(`perl -e 'close STDERR; $n = 0;
    while ($n < 2000) { $p = fork; last unless defined $p; if (!$p) { sleep 2; exit } $n++ } print $n'`),
  judged: (
    await workspace.exec("echo judged; exit 3", { env: { toolkeep_command: "false", UID: "0" } })
  ).stdout,
  refused: await workspace.exec("true", { env: { BASH_ENV: "x" } }).catch(({ kind }) => kind),
  agentFiles: await print(openEverything),
  stopped: await after("kill -STOP 2"),
  forged: await after(overwrite(2, "$toolkeep_run $?", "999999999 on $?")),
  closed: await print(
    "mkdir -p closed/in; touch closed/in/file; chmod 000 closed/in closed; echo ok",
  ),
}
await pool.destroy()
await listed.destroy()
await standIn[Symbol.asyncDispose]()
console.log(JSON.stringify(report))
