import { stat } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import type { FileStat, Workspace } from "../../contract/index.ts"
import { conformanceLimits } from "../limits.ts"
import type { Subject } from "./conformance-check.ts"
import { requireEqual, requireThat } from "./require.ts"
import { requireSoon, startStopwatch } from "./stopwatch.ts"

/** Runs what a check needs before it can measure; fails when it does not work. */
export async function prepare(
  workspace: Workspace,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { exitCode, stderr } = await workspace.exec(script, { env })
  requireThat(exitCode === 0, `the preparation failed with ${exitCode}: ${stderr.trim()}`)
}

/** A command that is performed by the sandbox itself, without a workspace in between. */
export function perform(
  { sandbox }: Pick<Subject, "sandbox">,
  command: string,
  { signal, maxOutputBytes }: { readonly signal: AbortSignal; readonly maxOutputBytes: number },
) {
  const limits = { timeoutMs: null, idleTimeoutMs: null, maxOutputBytes }
  return sandbox.perform<"command.run">(
    {
      kind: "command.run",
      command,
      cwd: sandbox.home,
      env: {},
      stdin: new Uint8Array(),
      ...limits,
    },
    { signal, onOutput: () => {} },
  )
}

/** Shell text that does nothing for a long time, as fast as it can; not for ever, in case nobody ends it. */
export const busyLoop = "while [ $SECONDS -lt 15 ]; do :; done"

/**
 * Shell text of a loop that makes a file grow: work that can be seen to go on or to stop. It lasts for
 * some seconds, so that a host which does not end it leaves nothing behind for ever.
 */
export function tickInto(file: string, seconds = 6): string {
  return `for tick in $(seq 1 ${seconds * 20}); do echo tick >> ${file}; sleep 0.05; done`
}

/** Requires that the loop has worked and has stopped; says how. */
export async function requireStopped(
  workspace: Pick<Workspace, "stat">,
  ...files: readonly string[]
): Promise<string> {
  const sizes = () => Promise.all(files.map(async (file) => (await workspace.stat(file)).size))
  const before = await sizes()
  await pause(conformanceLimits.stillMs)
  const after = await sizes()
  files.forEach((file, index) => {
    const [first = 0, last = 0] = [before[index], after[index]]
    requireThat(first > 0, `${file} was never written to`)
    requireThat(
      first === last,
      `${file} grew from ${first} to ${last} bytes in the ${conformanceLimits.stillMs} ms after the end`,
    )
  })
  return `${files.join(", ")} did not grow in the ${conformanceLimits.stillMs} ms after the end`
}

/** In place of a workspace's own, for a file of this machine that outlives the sandbox. */
export async function sizeOutside(path: string): Promise<FileStat> {
  const { size, mtimeMs, mode } = await stat(path)
  return { type: "file", size, modifiedMs: mtimeMs, mode }
}

/** Resolves when a command has made this file, which shows how far it has got. */
export async function whenExists(
  { workspace, signal }: Pick<Subject, "workspace" | "signal">,
  path: string,
): Promise<void> {
  while (!(await workspace.exists(path, { signal }))) await pause(20, undefined, { signal })
}

/** The same for a file with something in it: one may be there before what is written to it. */
export async function whenWritten(subject: Pick<Subject, "workspace" | "signal">, path: string) {
  const { workspace, signal } = subject
  await whenExists(subject, path)
  while ((await workspace.stat(path, { signal })).size === 0) await pause(20, undefined, { signal })
}

export async function isAlive(workspace: Workspace, pid: number): Promise<boolean> {
  return (await workspace.exec(`kill -0 ${pid}`)).exitCode === 0
}

/** Its parent may take a moment to notice that it is over. */
export async function requireGone(workspace: Workspace, pid: number): Promise<void> {
  const elapsed = startStopwatch()
  while (await isAlive(workspace, pid)) {
    requireSoon(`the end of process ${pid}`, elapsed())
    await pause(20)
  }
}

const neighbour = [
  "echo one; : > neighbour",
  "for i in $(seq 1 100); do [ -e go ] && break; sleep 0.1; done",
  "echo two",
].join("\n")

/** Requires that a command which runs beside `work`, from before it until after it, ends well. */
export async function requireUnharmedNeighbour(
  subject: Subject,
  work: () => Promise<unknown>,
): Promise<void> {
  const { workspace } = subject
  const result = Promise.allSettled([workspace.exec(neighbour)])
  await Promise.race([whenExists(subject, "neighbour"), result])
  await work()
  await workspace.writeFile("go", "")
  const [end] = await result
  requireThat(end.status === "fulfilled", "its neighbour failed")
  const { exitCode, stdout } = end.value
  requireEqual("its neighbour", { exitCode, stdout }, { exitCode: 0, stdout: "one\ntwo\n" })
}
