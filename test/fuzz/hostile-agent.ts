import { createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { createRandom, type Random } from "./random.ts"

/**
 * Started by the test beside it with a socket's path: each connection is an agent that does what the number on
 * its first line says, right, nearly right or wrong, and repeats exactly for the same number.
 */
const [path = ""] = process.argv.slice(2)

const endless = {
  unknown: "999999 on\n",
  old: "1 0\n",
  ready: "ready\n",
  line: "1",
  empty: "\n",
  binary: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1"),
}

/** Until nobody reads any more. */
function flood(socket: Socket, text: string): void {
  const block = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)), "latin1")
  const write = () => {
    while (!socket.destroyed && socket.write(block)) {}
  }
  socket.on("drain", write)
  write()
}

function nonsense(random: Random, run: string): string {
  const number = random.pick([run, "0", "999999", "-1", "1e3", `0${run}`, "9".repeat(16), ""])
  const word = random.pick([
    "0",
    "1",
    "137",
    "256",
    "1000",
    "on",
    "cwd",
    "killed",
    "off",
    "0x1",
    "",
    "é",
    "\0",
  ])
  const space = random.pick([" ", " ", " ", "", "  ", "\t", "\n"])
  return `${number}${space}${word}${random.pick(["\n", "\n", "\n", "\r\n", "", "\n\n"])}`
}

/** What the agent would say. */
function answers(random: Random, line: string): string {
  const [verb, run = "", ...rest] = line.split(" ")
  if (verb === "run")
    return random.pick([`${run} ${random.below(256)}\n`, `${run} cwd\n${run} 1\n`, ""])
  if (verb === "ask") return random.pick([`${run} on\n`, `${run} on\n`, `${run} 137\n`])
  if (run !== "KILL") return ""
  return rest.map((item) => `${item.split(":")[0]} killed\n`).join("")
}

function act(socket: Socket, random: Random, line: string): void {
  const run = line.split(" ")[1] ?? ""
  const honest = answers(random, line)
  const roll = random.next()
  if (roll < 0.6) socket.write(honest)
  else if (roll < 0.7) for (const byte of honest) socket.write(byte)
  else if (roll < 0.8) socket.write(nonsense(random, run))
  else if (roll < 0.84) socket.write(honest + honest + nonsense(random, run))
  else if (roll < 0.88) flood(socket, random.pick(Object.values(endless)))
  else if (roll < 0.9) socket.end(honest)
  else if (roll < 0.92) socket.destroy()
  else if (roll < 0.94) socket.pause()
  // Else it says nothing.
}

createServer((socket) => {
  socket.on("error", () => {})
  let random: Random | null = null
  const lines = createInterface({ input: socket }).on("error", () => {})
  lines.on("line", (line) => {
    if (random) return act(socket, random, line)
    if (Object.hasOwn(endless, line)) {
      random = createRandom(0)
      socket.write("ready\n")
      return flood(socket, endless[line as keyof typeof endless])
    }
    random = createRandom(Number(line))
    socket.write(random.chance(0.95) ? "ready\n" : nonsense(random, "1"))
  })
}).listen(path, () => console.log("listening"))
