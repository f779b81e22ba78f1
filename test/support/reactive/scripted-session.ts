import { failure, success } from "../../../src/contract/index.ts"
import { onAbort } from "../../../src/kit/index.ts"
import type { CallOptions, Session, SessionEvent } from "../../../src/session/index.ts"

/** A call that a test answers when it wants to. */
export interface ScriptedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** What a command prints while it runs. */
  print(text: string, stream?: "stdout" | "stderr"): void
  answer(result: unknown): void
  fail(kind: Parameters<typeof failure>[1]["kind"], message: string): void
}

export interface ScriptedSession {
  readonly session: Session
  /** The commands, requests and file operations that nobody has answered yet. */
  readonly open: ScriptedCall[]
  /** Every call but those that make a sandbox. */
  readonly calls: ScriptedCall[]
  /** Sandboxes that are there. */
  readonly sandboxes: Set<string>
  /** How many calls were unanswered at the same time at most. */
  most(): number
  /** The unanswered call of this command, as soon as there is one. */
  command(text: string): Promise<ScriptedCall>
  /** Answers a command as a shell would. */
  finish(text: string, stdout?: string, exitCode?: number): Promise<void>
}

/** A session whose commands end when the test says so. Sandboxes are made at once. */
export function scriptedSession(): ScriptedSession {
  const open: ScriptedCall[] = []
  const calls: ScriptedCall[] = []
  const sandboxes = new Set<string>()
  const listeners = new Set<(event: SessionEvent) => void>()
  let most = 0
  const publish = (event: SessionEvent) => {
    for (const listener of listeners) listener(event)
  }
  const publishSandbox = (kind: "sandbox-created" | "sandbox-destroyed", sandbox: string) =>
    publish({ kind, sandbox, at: 0, image: "scripted" })
  const call = (
    tool: string,
    input: Readonly<Record<string, unknown>>,
    { signal = new AbortController().signal, id: callId = "" }: CallOptions = {},
  ) => {
    if (tool === "sandbox.create") {
      sandboxes.add(String(input.sandbox))
      publishSandbox("sandbox-created", String(input.sandbox))
      return Promise.resolve(success(tool, { kind: "sandbox" }))
    }
    const { promise, resolve } = Promise.withResolvers<unknown>()
    let printed = 0
    const one: ScriptedCall = {
      ...{ tool, input, signal },
      print(text, stream = "stdout") {
        const chunk = { stream, bytes: Buffer.from(text) }
        printed += chunk.bytes.length
        publish({ kind: "call-output", callId, tool, at: 0, chunk, printed })
      },
      answer: (result) => end(success(tool, result)),
      fail: (kind, message) => end(failure(tool, { kind, message })),
    }
    const end = (envelope: unknown) => {
      const index = open.indexOf(one)
      if (index >= 0) open.splice(index, 1)
      resolve(envelope)
    }
    open.push(one)
    calls.push(one)
    onAbort(signal, () => one.fail("execution_error", "It was ended."))
    most = Math.max(most, open.length)
    return promise
  }
  const session = {
    call,
    listen(listener: (event: SessionEvent) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    sandboxes: {
      host: { images: async () => ["scripted"] },
      async destroySandbox(name: string) {
        if (sandboxes.delete(name)) publishSandbox("sandbox-destroyed", name)
      },
    },
  }
  const command = async (text: string) => {
    for (;;) {
      const found = open.find(({ input }) => input.command === text || input.url === text)
      if (found) return found
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return {
    session: session as unknown as Session,
    ...{ open, calls, sandboxes, command },
    most: () => most,
    async finish(text, stdout = "", exitCode = 0) {
      const found = await command(text)
      found.answer({ kind: "command", stdout, stderr: "", exit_code: exitCode })
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
