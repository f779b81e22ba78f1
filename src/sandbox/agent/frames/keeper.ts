import type { channels, Frame, frameKinds, LinkTimes } from "./frame-kinds.ts"
import type { createLink } from "./link.ts"

/** What the keeper is told when it is started. */
export interface KeeperOptions {
  readonly token: string
  /** The directory that the sandbox sees as well, and cannot change. */
  readonly exchange: string
  /** A pipe on which connections say their process. */
  readonly joining: string
  /** Where it writes what the agent said first. */
  readonly wordFile: string
  readonly home: string
  /** How many slots there are already. */
  readonly slots: number
  /** Connections to the proxy at once; more are closed. */
  readonly connections: number
  /** How many bytes may be on their way in one direction of a channel. */
  readonly windowBytes: number
  readonly times: LinkTimes
  /** Without a connection for so long, it ends, and with it the sandbox. */
  readonly abandonedMs: number
}

export interface KeeperModules {
  readonly fs: typeof import("node:fs")
  readonly net: typeof import("node:net")
  readonly childProcess: typeof import("node:child_process")
  readonly createLink: typeof createLink
  readonly kinds: typeof frameKinds
  readonly channels: typeof channels
}

/**
 * The program beside a sandbox that does what this process does where it shares a directory with the sandbox: it
 * writes commands into slots, opens their pipes, and passes on what comes out, with what the agent says. Here it
 * only speaks frames. Its text is sent to where it runs, so it names nothing outside of itself.
 */
export function runKeeper(modules: KeeperModules, options: KeeperOptions): void {
  const { fs, net, childProcess, kinds, channels } = modules
  const { exchange, windowBytes } = options
  const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants
  const pieceBytes = 65_536
  const smallBytes = 8_192
  const longestLine = 64
  const scratch = Buffer.allocUnsafe(pieceBytes)
  const link = modules.createLink({
    token: options.token,
    kinds,
    times: options.times,
    mostBytes: 256 * 1024 * 1024,
    onFrame: (frame) => handle(frame),
    onMismatch: () => process.exit(1),
  })

  const pathOf = (slot: number, name: string) => `${exchange}/${slot}.${name}`
  const codeOf = (error: unknown) =>
    error instanceof Error && "code" in error ? error.code : undefined

  type Output = {
    readonly channel: number
    readonly fd: number
    readonly socket: import("node:net").Socket
    credit: number
    isOver: boolean
  }
  type Slot = {
    readonly outputs: readonly Output[]
    /** Held open for writing until the command is over: another could open and close them before it has. */
    held: readonly number[]
    input: import("node:net").Socket | null
    /** How it ended, until all that it has printed is sent. */
    answer: string | null
    /** Nobody waits for what it has printed. */
    isEnding: boolean
  }
  const slots = new Map<number, Slot>()
  const runs = new Map<string, Slot>()
  let made = options.slots

  /** A few bytes must not hold on to the whole piece that they were read in. */
  const sendData = (channel: number, bytes: Buffer) =>
    link.send(kinds.data, channel, bytes.length < smallBytes ? Buffer.from(bytes) : bytes)

  const finish = (output: Output) => {
    if (output.isOver) return
    output.isOver = true
    output.socket.destroy()
    link.send(kinds.end, output.channel)
  }

  const openOutput = (slot: number, name: "out" | "err", channel: number): Output => {
    const fd = fs.openSync(pathOf(slot, name), O_RDONLY | O_NONBLOCK)
    const socket = new net.Socket({ fd, readable: true, writable: false })
    const output: Output = { channel, fd, socket, credit: windowBytes, isOver: false }
    socket.on("data", (bytes) => {
      sendData(channel, bytes)
      output.credit -= bytes.length
      if (output.credit <= 0) socket.pause()
    })
    const end = () => {
      finish(output)
      // The command may be over already, and only this was waited for.
      const owner = slots.get(slot)
      if (owner?.outputs.includes(output)) settle(owner)
    }
    socket.once("end", end).on("error", end)
    return output
  }

  /** What is there now, as far as the other side takes it. Answers whether that was all. */
  const drain = (output: Output): boolean => {
    const { socket } = output
    while (!output.isOver) {
      if (output.credit <= 0) return false
      // A stream that was paused may have read ahead; what it has comes first, and reading it sends it.
      if (socket.readableLength > 0) {
        socket.read()
        continue
      }
      try {
        const count = fs.readSync(output.fd, scratch, 0, pieceBytes, null)
        if (count === 0) finish(output)
        else {
          link.send(kinds.data, output.channel, Buffer.from(scratch.subarray(0, count)))
          output.credit -= count
        }
      } catch (error) {
        if (codeOf(error) !== "EAGAIN") finish(output)
        return true
      }
    }
    return true
  }

  /** A command's end is told after all that it has printed, so that nothing has to be waited for by time. */
  const settle = (slot: Slot) => {
    if (slot.answer === null) return
    const isAll = slot.outputs.map(drain).every(Boolean)
    if (!isAll && !slot.isEnding) return
    const { answer } = slot
    slot.answer = null
    runs.delete(answer.split(" ", 1)[0] ?? "")
    sendAnswer(answer)
  }

  const closeInput = (number: number, slot: Slot) => {
    const { input } = slot
    if (!input) return
    slot.input = null
    input.once("close", () => {
      let hasReader = true
      try {
        fs.closeSync(fs.openSync(pathOf(number, "pipe"), O_WRONLY | O_NONBLOCK))
      } catch (error) {
        hasReader = codeOf(error) !== "ENXIO"
      }
      const channel = number * channels.perSlot + channels.stdin
      link.send(kinds.close, channel, Buffer.of(hasReader ? 1 : 0))
    })
    input.destroy()
  }

  /** Whether its input is a pipe, how long the command is, the command, and the input of one that has no pipe. */
  const openSlot = (number: number, payload: Buffer) => {
    const hasPipe = payload.readUInt8(0) === 1
    const end = 5 + payload.readUInt32BE(1)
    const write = (name: string, bytes: Buffer) =>
      fs.writeFileSync(pathOf(number, name), bytes, { mode: 0o644 })
    write("cmd", payload.subarray(5, end))
    fs.rmSync(pathOf(number, "in"), { force: true })
    if (hasPipe) fs.symlinkSync(`${number}.pipe`, pathOf(number, "in"))
    else write("in", payload.subarray(end))
    const first = number * channels.perSlot
    const outputs = [
      openOutput(number, "out", first + channels.stdout),
      openOutput(number, "err", first + channels.stderr),
    ]
    const openPipe = () => {
      fs.chmodSync(pathOf(number, "pipe"), 0o644)
      const fd = fs.openSync(pathOf(number, "pipe"), O_RDWR | O_NONBLOCK)
      return new net.Socket({ fd, readable: false, writable: true }).on("error", () => {})
    }
    const held = ["out", "err"].map((name) =>
      fs.openSync(pathOf(number, name), O_WRONLY | O_NONBLOCK),
    )
    const input = hasPipe ? openPipe() : null
    slots.set(number, { outputs, held, input, answer: null, isEnding: false })
  }

  // What passes between this program and the agent.
  const requests = new net.Socket({
    fd: fs.openSync(`${exchange}/requests`, O_RDWR | O_NONBLOCK),
    readable: false,
    writable: true,
  })
  const answers = new net.Socket({
    fd: fs.openSync(`${exchange}/answers`, O_RDONLY | O_NONBLOCK),
    readable: true,
    writable: false,
  })
  requests.on("error", () => process.exit(1))
  let agentCredit = windowBytes
  const sendAnswer = (text: string) => {
    const bytes = Buffer.from(text, "latin1")
    link.send(kinds.data, channels.agent, bytes)
    agentCredit -= bytes.length
    if (agentCredit <= 0) answers.pause()
  }

  const takeAnswer = (line: string) => {
    const run = /^(\d{1,15}) \d{1,3}\n$/.exec(line)?.[1]
    const slot = run === undefined ? undefined : runs.get(run)
    if (run === undefined || !slot) return sendAnswer(line)
    // It is over inside, and not yet for who waits for what it has printed.
    if (slot.answer !== null) return sendAnswer(`${run} on\n`)
    for (const fd of slot.held) fs.closeSync(fd)
    slot.held = []
    slot.answer = line
    settle(slot)
  }
  let rest = ""
  answers.setEncoding("latin1").once("data", (text: string) => {
    fs.writeFileSync(options.wordFile, text, { mode: 0o600 })
  })
  answers.on("data", (text: string) => {
    rest += text
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
      const line = rest.slice(0, at + 1)
      rest = rest.slice(at + 1)
      takeAnswer(line)
    }
    // The agent says no such thing; who reads it ends the agent.
    if (rest.length > longestLine) {
      sendAnswer(rest)
      rest = ""
    }
  })
  answers.once("end", () => link.send(kinds.end, channels.agent)).on("error", () => process.exit(1))

  const takeRequests = (text: string) => {
    for (const line of text.split("\n")) {
      const [verb, first = "", ...others] = line.split(" ")
      const slot = slots.get(Number(others[0]))
      if (verb === "run" && slot) runs.set(first, slot)
      if (verb !== "end") continue
      for (const command of others) {
        const ending = runs.get(command.split(":", 1)[0] ?? "")
        if (!ending) continue
        ending.isEnding = true
        settle(ending)
      }
    }
    requests.write(text)
  }

  const grow = (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => made + index)
    const names = numbers.flatMap((slot) => ["out", "err", "pipe"].map((end) => `${slot}.${end}`))
    childProcess.execFile("mkfifo", ["-m", "622", ...names], { cwd: exchange }, (error) => {
      if (error) process.exit(1)
      made += count
      const total = Buffer.alloc(4)
      total.writeUInt32BE(made)
      link.send(kinds.grow, 0, total)
    })
  }

  /** What the files of the home take, and what its disk has left. */
  const measure = (most: number) => {
    const { bavail, blocks, bsize, ffree } = fs.statfsSync(options.home)
    const free = { bavail, blocks, bsize, ffree }
    const reply = (home: object | null) =>
      link.send(kinds.measure, 0, Buffer.from(JSON.stringify({ free, home })))
    if (most < 0) return reply(null)
    const linked = new Set<number>()
    const counted = { bytes: 0, files: 0, isUnsure: false }
    const count = (
      { ino, nlink, blocks: taken }: import("node:fs").Stats,
      isDirectory: boolean,
    ) => {
      if (!isDirectory && nlink > 1) {
        if (linked.has(ino)) return
        linked.add(ino)
      }
      counted.files += 1
      counted.bytes += taken * 512
    }
    const cannotLook = (error: unknown) => {
      if (codeOf(error) !== "ENOENT") counted.isUnsure = true
    }
    const walk = async (directory: string): Promise<void> => {
      const entries = await fs.promises.readdir(directory, { withFileTypes: true })
      for (const entry of entries) {
        if (counted.files > most) return
        const path = `${directory}/${entry.name}`
        // Files may go while they are counted.
        const stat = await fs.promises.lstat(path).catch(() => null)
        if (!stat) continue
        count(stat, entry.isDirectory())
        if (entry.isDirectory()) await walk(path).catch(cannotLook)
      }
    }
    count(fs.statSync(options.home), true)
    walk(options.home)
      .catch(cannotLook)
      .then(() => reply(counted))
  }

  // What leads from the sandbox to the proxy of the process that this one serves.
  type Joined = { readonly socket: import("node:net").Socket; credit: number }
  const joined = new Map<number, Joined>()
  let nextConnection = channels.firstConnection
  const accept = (socket: import("node:net").Socket) => {
    if (joined.size >= options.connections) return void socket.destroy()
    const channel = nextConnection
    nextConnection += 1
    const connection = { socket, credit: windowBytes }
    joined.set(channel, connection)
    link.send(kinds.connect, channel)
    socket.on("data", (bytes) => {
      sendData(channel, bytes)
      connection.credit -= bytes.length
      if (connection.credit <= 0) socket.pause()
    })
    socket.once("end", () => link.send(kinds.end, channel))
    socket.on("error", () => {})
    socket.once("close", () => {
      if (joined.delete(channel)) link.send(kinds.close, channel)
    })
  }
  const handleConnection = ({ kind, channel, payload }: Frame) => {
    const connection = joined.get(channel)
    if (!connection) return
    const { socket } = connection
    if (kind === kinds.end) socket.end(() => link.send(kinds.end, channel, Buffer.of(1)))
    if (kind === kinds.close) {
      joined.delete(channel)
      socket.destroy()
    }
    if (kind === kinds.credit) {
      connection.credit += payload.readUInt32BE(0)
      if (connection.credit > 0) socket.resume()
    }
    if (kind !== kinds.data) return
    socket.write(payload, () => {
      const taken = Buffer.alloc(4)
      taken.writeUInt32BE(payload.length)
      if (joined.has(channel)) link.send(kinds.credit, channel, taken)
    })
  }
  let proxy: import("node:net").Server | null = null
  const listen = (isWanted: boolean) => {
    proxy?.close()
    proxy = null
    for (const { socket } of joined.values()) socket.destroy()
    const path = `${exchange}/proxy`
    fs.rmSync(path, { force: true })
    if (!isWanted) return
    proxy = net.createServer({ allowHalfOpen: true }, accept)
    // Only this program and the sandbox see the directory.
    proxy.listen(path, () => fs.chmodSync(path, 0o666))
  }

  const handleSlot = ({ kind, channel, payload }: Frame) => {
    const number = Math.floor(channel / channels.perSlot)
    const part = channel % channels.perSlot
    const slot = slots.get(number)
    if (kind === kinds.open) return openSlot(number, payload)
    if (kind === kinds.forget) {
      for (const name of ["cmd", "in"]) fs.rmSync(pathOf(number, name), { force: true })
      return
    }
    if (!slot) return
    if (part === channels.stdin) {
      if (kind === kinds.close) return closeInput(number, slot)
      const { input } = slot
      if (kind === kinds.end) input?.end(() => closeInput(number, slot))
      if (kind !== kinds.data || !input) return
      input.write(payload, () => {
        const taken = Buffer.alloc(4)
        taken.writeUInt32BE(payload.length)
        link.send(kinds.credit, channel, taken)
      })
      return
    }
    const output = slot.outputs[part - channels.stdout]
    if (!output || output.isOver) return
    if (kind === kinds.close) {
      finish(output)
      return settle(slot)
    }
    if (kind !== kinds.credit) return
    output.credit += payload.readUInt32BE(0)
    if (output.credit > 0) output.socket.resume()
    settle(slot)
  }

  const handle = (frame: Frame) => {
    const { kind, channel, payload } = frame
    if (kind === kinds.grow) return grow(payload.readUInt32BE(0))
    if (kind === kinds.measure) return measure(payload.readInt32BE(0))
    if (kind === kinds.listen) return listen(payload.readUInt8(0) === 1)
    if (channel >= channels.firstConnection) return handleConnection(frame)
    if (kind === kinds.seal) {
      for (const name of ["requests", "answers"]) {
        fs.chmodSync(`${exchange}/${name}`, 0)
        fs.rmSync(`${exchange}/${name}`)
      }
      return
    }
    if (channel !== channels.agent || kind === kinds.open) return handleSlot(frame)
    if (kind === kinds.data) return takeRequests(payload.toString("latin1"))
    if (kind !== kinds.credit) return
    agentCredit += payload.readUInt32BE(0)
    if (agentCredit > 0) answers.resume()
  }

  // A connection is a process that was started here only to be one: its input and output are read and written from here.
  const join = (pid: number) => {
    const end = () => {
      try {
        process.kill(pid, "SIGKILL")
      } catch {}
    }
    try {
      const open = (number: number, flags: number) =>
        fs.openSync(`/proc/${pid}/fd/${number}`, flags | O_NONBLOCK)
      const readable = new net.Socket({ fd: open(0, O_RDONLY), readable: true, writable: false })
      const writable = new net.Socket({ fd: open(1, O_WRONLY), readable: false, writable: true })
      const close = () => {
        readable.destroy()
        writable.destroy()
        end()
      }
      link.join({ readable, writable, close })
    } catch {
      end()
    }
  }
  const joining = new net.Socket({
    fd: fs.openSync(options.joining, O_RDWR | O_NONBLOCK),
    readable: true,
    writable: false,
  })
  joining.setEncoding("latin1").on("data", (text: string) => {
    for (const pid of text.split("\n")) if (/^\d+$/.test(pid)) join(Number(pid))
  })

  setInterval(() => {
    const isAlone = !link.isOpen() && performance.now() - link.heardAt() > options.abandonedMs
    if (isAlone) process.exit(0)
  }, options.times.beatMs)
}
