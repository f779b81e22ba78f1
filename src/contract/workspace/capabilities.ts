/** What a sandbox can really do. Data, so that schemas are built from it and a suite can prove it. */
export interface Capabilities {
  /** Which kind of host this is: "memory", "local", ... For people and logs; code reads the fields below. */
  readonly host: string
  readonly isolation: "none" | "virtual" | "namespaces" | "container"
  /** Output arrives while the command runs, so a person can watch it and an idle timeout means something. */
  readonly liveOutput: boolean
  /** Input reaches a command while it runs, as it comes, so a program can be answered; no when absent. */
  readonly liveInput?: boolean
  /** Programs can be given a terminal; no when absent. */
  readonly terminal?: boolean
  /** What reads commands, where that is not bash itself: its name, and what of bash it lacks. */
  readonly shell?: { readonly name: string; readonly lacks: readonly string[] }
  /** Commands can be given as an argument list that no shell reads. */
  readonly argumentLists: boolean
  /** Files keep permission bits. */
  readonly fileModes: boolean
  /** The networks that a sandbox can be given; it starts with the first. */
  readonly networks: readonly Network["kind"][]
  /** Commands are processes: they can go on in the background and be ended from outside. */
  readonly background: boolean
  /** A server inside can be reached by its port. */
  readonly ports: boolean
  /** What `runCode` understands, and what is called inside with the code as its last argument. */
  readonly languages: Readonly<Partial<Record<CodeLanguage, readonly string[]>>>
  /** Those of `commonPrograms` that commands find; absent where that is not known beforehand. */
  readonly programs?: readonly string[]
  /** A sandbox can rest without processes and keep its files. */
  readonly sleep: boolean
  /** The files of a sandbox can be held as they are, and be what another one starts with. */
  readonly snapshots: boolean
  /** The files of its home can be recorded while processes go on, and be what another one starts with; no when absent. */
  readonly checkpoints?: boolean
  /** Files outlive the process that made the sandbox. */
  readonly durable: boolean
  /** Where commands start, where that is the same in every sandbox. */
  readonly home?: string
  /** The images sandboxes can use, where they are known beforehand. */
  readonly images?: readonly string[]
  /** How a person provides an image that is not there, as one sentence; "{image}" stands for its name. */
  readonly imageRemedy?: string
  /** Directories of this machine can be shown inside; no when absent. */
  readonly mounts?: boolean
  /** How ripgrep is called inside; null where there is none, and find and grep are used. */
  readonly ripgrep: string | null
  readonly limits: SandboxLimits
}

/** What agents look for before they use it, beside the small programs that every system has. */
export const commonPrograms = ["git", "python3", "node", "npm", "gcc", "make", "curl"]

/** What commands can reach: nothing, these domains by HTTP and HTTPS, or all that this machine can. */
export type Network =
  | { readonly kind: "none" }
  | { readonly kind: "allow-list"; readonly domains: readonly string[] }
  | { readonly kind: "full" }

export type CodeLanguage = "javascript" | "typescript" | "python" | "bash"

/** Limits that the host enforces; null where it enforces none. */
export interface SandboxLimits {
  readonly memoryBytes: number | null
  readonly diskBytes: number | null
  readonly processes: number | null
  /** Whole and parts of processors. */
  readonly processors: number | null
}
