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
const answers = await Promise.all(
  unprivileged.map(async (attack) => [attack, await attackDisk(host, attack)] as const),
)
console.log(JSON.stringify(Object.fromEntries(answers)))
