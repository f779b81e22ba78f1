import type { CallEffects, Capabilities, Network, Unknown } from "../../contract/index.ts"
import type { NetworkDecision } from "../network/decide-target.ts"
import type { Operation, OperationControl, OperationResults } from "./operation.ts"
import type { WarmHost, WarmOptions } from "./warm.ts"

/** A kind of sandbox. */
export interface Host {
  readonly name: string
  /** What every sandbox of this host can do. */
  readonly can: Capabilities
  /** One sentence for a person who chooses a host. */
  readonly summary: string
  /** Does it work on this machine? */
  probe(): Promise<HostStatus>
  /** The images that sandboxes can have; the first is the default. */
  images(): Promise<readonly string[]>
  create(spec: SandboxSpec): Promise<Sandbox>
  /**
   * Its sandboxes are the same whatever their names are, so that some can be made before anybody asks for one: those that
   * go with this process, or also those that are persisted (`SandboxSpec.isKeptLater`).
   */
  readonly canPrepare?: "temporary" | "kept"
  /**
   * Reserves a sandbox that is ready and fits a request, and names the word to persist it by: `create` with that word gives
   * it. Undefined where none is; absent where none ever is.
   */
  reserveKept?(request: Omit<SandboxSpec, "name" | "keptAs">): string | undefined
  /** Where those that are made beforehand are not only this process's: the same host, which makes and hands them out. */
  keepWarm?(options: WarmOptions): WarmHost
  /** Snapshots stay until they are removed; sandboxes that were created from one go on. */
  removeSnapshot(id: string): Promise<void>
  /** What a persisted sandbox that nobody has opened, or a snapshot, takes of the disk; absent where nothing is persisted. */
  storedUse?(stored: StoredThing): Promise<SandboxUse>
}

export type StoredThing =
  | { readonly kind: "sandbox"; readonly keptAs: string }
  | { readonly kind: "snapshot"; readonly id: string }

/** What a sandbox takes of the disk, in bytes, as far as it was measured. */
export interface SandboxUse {
  readonly own: number
  /** By name: what it may have together with other sandboxes, such as the files of a snapshot. */
  readonly parts: ReadonlyMap<string, number>
}

/** What the processes of a sandbox use now; all that can't be known says why. */
export interface RunningUsage {
  /** The processor time that they have used since the sandbox was last started, in milliseconds. */
  readonly cpuMs: number | Unknown
  /** Without the files that the kernel only holds while nobody needs the room. */
  readonly memoryBytes: number | Unknown
  /** With their threads, as the limit counts them. */
  readonly processes: number | Unknown
}

/** The same, and what its files take. */
export interface SandboxUsage extends RunningUsage {
  readonly diskBytes: number | Unknown
}

/** What the totals of a session and of its Toolkeep leave for one sandbox. */
export interface DiskRoom {
  /** How much it may take in all, and of which total that is what is left. */
  most(): DiskShare
  /** Measures again what the others take, before something is refused for it. */
  refresh(): Promise<void>
}

export interface DiskShare {
  readonly bytes: number
  /** Says that the total is exceeded, and what to do. */
  readonly reason: string
}

export type HostStatus =
  | {
      readonly kind: "ready"
      /** What it works with, where that is not the same everywhere: an engine, its version and address. */
      readonly detail?: string | undefined
    }
  | { readonly kind: "unavailable"; readonly reason: string; readonly remedy: string }

export interface SandboxSpec {
  readonly name: string
  /** One of the host's images. Any other is refused with the names of those there are. */
  readonly image?: string | undefined
  readonly network?: Network | undefined
  readonly limits?: SandboxLimitsRequest | undefined
  /**
   * Its files outlive this process, under this word, until it is destroyed. A sandbox that was made
   * with the same word is taken up again with its files.
   */
  readonly keptAs?: string | undefined
  /** It goes with this process, as others do, until `keep` is called. */
  readonly isKeptLater?: boolean | undefined
  /** A snapshot of this host, whose files it starts with. */
  readonly from?: string | undefined
  /** Directories of this machine that are shown inside. */
  readonly mounts?: readonly Mount[] | undefined
  /** What it may take of the disk beside its own limit; absent for one without an owner. */
  readonly room?: DiskRoom | undefined
  /** Hears what commands tried to reach. */
  readonly onNetwork?: ((decision: NetworkDecision) => void) | undefined
}

/** A directory of this machine, and where a sandbox sees it. */
export interface Mount {
  readonly source: string
  /** Such as "/mnt/project". */
  readonly target: string
  readonly writable: boolean
}

/** Less or more than what the host gives when nothing is said. */
export interface SandboxLimitsRequest {
  readonly memoryBytes?: number | undefined
  readonly processes?: number | undefined
  readonly processors?: number | undefined
  readonly diskBytes?: number | undefined
}

/** The files of a sandbox's home at one time. Each file is whole; two files may be of different moments. */
export interface SandboxCheckpoint {
  /** What other sandboxes of the host can start `from`, like a snapshot. */
  readonly id: string
  /** Files that changed all the time or could not be read, by their paths in the home; some of them where there are many. */
  readonly incomplete: readonly string[]
  /** Nothing was left running that could change a file afterwards. */
  readonly isQuiet: boolean
}

/** Looks at a sandbox from outside, until it sleeps or is destroyed. */
export interface SandboxWatch {
  begin(): Promise<SandboxSpan>
  close(): void
}

/** From one moment to another. Several can overlap. */
export interface SandboxSpan {
  end(): Promise<Pick<CallEffects, "files" | "processes" | "memory">>
}

/** A workspace's other side, with a life. Only the pool holds it. */
export interface Sandbox {
  readonly name: string
  readonly can: Capabilities
  readonly image: string
  /** Where a workspace starts, absolute. */
  readonly home: string
  /** The directories that file tools may use, absolute. */
  readonly roots: readonly string[]
  /** A directory of this machine whose pipes it can be given; absent where there is no such thing. */
  readonly pipes?: string | undefined
  perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]>
  /** Ends every process and leaves the files; the next operation wakes it. */
  sleep(): Promise<void>
  /** From now on. Processes go on where the host can do that, and else are ended as by `sleep`. */
  setNetwork(network: Network): Promise<void>
  /** Holds the files as they are, as what other sandboxes can start with. Ends every process. */
  snapshot(): Promise<string>
  /**
   * The same while processes go on, of the home only: regular files, directories and links. What it names goes by
   * `removeSnapshot`. Absent where `can.checkpoints` is not true.
   */
  checkpoint?(): Promise<SandboxCheckpoint>
  /** Starts to look at what happens inside. Absent where it can't be seen from outside. */
  watch?(): Promise<SandboxWatch>
  /** What it uses now. Wakes nothing. Absent where that can't be seen. */
  usage?(): Promise<SandboxUsage>
  /** What it takes of the disk: as far as is known, and measured now. Absent where there is no such thing. */
  readonly disk?: { known(): SandboxUse; measure(): Promise<SandboxUse> } | undefined
  /** From now on its files outlive this process. Only where it was created with `isKeptLater`. */
  keep?(): void
  /** Ends everything inside and frees what it held. Safe to call twice. */
  destroy(): Promise<void>
}
