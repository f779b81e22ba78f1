const names = ["shell", "read_file", "write_file", "glob", "browse"] as const

/** A tool of one sandbox, as data for `generateText`. */
export interface SandboxTool {
  readonly tool: (typeof names)[number]
  readonly sandbox: string
  /** The inputs of the sandbox. */
  readonly of: unknown
  readonly maker: SandboxMaker
}

export type SandboxTools = Readonly<Record<(typeof names)[number], SandboxTool>>

/** Makes the sandbox when a model first calls one of its tools. It is not part of a step's content. */
export class SandboxMaker {
  readonly ensure: (image: string | undefined, signal: AbortSignal) => Promise<void>

  constructor(ensure: SandboxMaker["ensure"]) {
    this.ensure = ensure
  }

  toJSON(): undefined {
    return undefined
  }
}

export function sandboxTools(shared: Omit<SandboxTool, "tool">): SandboxTools {
  const tool = (name: SandboxTool["tool"]): SandboxTool => ({ tool: name, ...shared })
  return {
    shell: tool("shell"),
    read_file: tool("read_file"),
    write_file: tool("write_file"),
    glob: tool("glob"),
    browse: tool("browse"),
  }
}
