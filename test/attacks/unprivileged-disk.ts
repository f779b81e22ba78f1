import "../../src/sandbox/hosts/bubblewrap/bubblewrap-sandbox.ts"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { attackDisk, unprivileged } from "./disk-attacks.ts"

/** Started by the test beside it with a directory and a user: fills the disk of an ordinary user. */
const [directory = "", user = ""] = process.argv.slice(2)
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}

const host = bubblewrapHost({ directory: `${directory}/sandboxes` })
const answers: Record<string, string> = {}
// One after the other: what one removes at its end would hide what another has taken.
for (const attack of unprivileged) answers[attack] = await attackDisk(host, attack)
console.log(JSON.stringify(answers))
