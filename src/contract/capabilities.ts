/** What a sandbox can really do. Data, so that schemas are built from it and a suite can prove it. */
export interface Capabilities {
  /** Which kind of host this is: "memory", "local", ... For people and logs; code reads the fields below. */
  readonly host: string
  readonly isolation: "none" | "virtual" | "namespaces" | "container"
  /** Output arrives while the command runs, so a person can watch it and an idle timeout means something. */
  readonly liveOutput: boolean
  /** Commands can be given as an argument list that no shell reads. */
  readonly argumentLists: boolean
  /** Files keep permission bits. */
  readonly fileModes: boolean
  /** What commands can reach. */
  readonly network: "none" | "full"
  /** Files outlive the process that made the sandbox. */
  readonly durable: boolean
  /** How ripgrep is called inside, or null where there is none. */
  readonly ripgrep: string | null
  readonly limits: SandboxLimits
}

/** Limits that the host enforces; null where it enforces none. */
export interface SandboxLimits {
  readonly memoryBytes: number | null
  readonly diskBytes: number | null
  readonly processes: number | null
}
