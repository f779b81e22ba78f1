import type { Subject } from "../conformance-check.ts"
import { requireEqual, requireThat } from "./require.ts"
import { whenExists } from "./when-exists.ts"

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
