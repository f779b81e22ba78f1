import { hostname } from "node:os"
import { permanentFailure } from "../../host/unsupported.ts"

/** What an engine says about itself and its machine. */
export interface EngineInformation {
  readonly SecurityOptions?: readonly string[]
  readonly MemoryLimit?: boolean
  readonly PidsLimit?: boolean
  readonly CpuCfsQuota?: boolean
  readonly DefaultRuntime?: string
  readonly ServerVersion?: string
  /** Of the library that Podman builds images with; Docker has none. */
  readonly BuildahVersion?: string
  /** Its machine's name. */
  readonly Name?: string
  /** As "x86_64" or "aarch64". */
  readonly Architecture?: string
}

/** There a number of a user is another one outside, and what this machine has would belong to nobody inside. */
export function mapsUsers({ SecurityOptions }: EngineInformation): boolean {
  return SecurityOptions?.some((option) => /^name=(rootless|userns)\b/.test(option)) ?? false
}

/** Whether it says that it runs on this machine, which an engine in another's container or machine does not. */
export function isNamedAsHere({ Name }: EngineInformation): boolean {
  return Name === undefined || Name === hostname()
}

const architectures: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }

/** Whether this process's own programs run on the engine's machine. */
export function runsOurPrograms({ Architecture }: EngineInformation): boolean {
  const isSame = Architecture === undefined || architectures[process.arch] === Architecture
  return process.platform === "linux" && isSame
}

/** Refuses an engine that can't hold containers to limits. */
export function examineEngine(engine: EngineInformation): void {
  const limits = {
    memory: engine.MemoryLimit,
    processes: engine.PidsLimit,
    processors: engine.CpuCfsQuota,
  }
  const missing = Object.entries(limits).filter(([, has]) => has === false)
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ")
    throw permanentFailure(
      `The container engine can't hold a container to limits here: ${names}. Use another host.`,
    )
  }
}

/** Which engine answers. */
export interface EngineIdentity {
  readonly name: "Docker" | "Podman"
  readonly version: string
}

/** Podman answers as Docker would. Its version is not asked for: on Debian it looks up its own packages then, for most of a second. */
export function identify({
  ServerVersion = "",
  BuildahVersion,
}: EngineInformation): EngineIdentity {
  return { name: BuildahVersion === undefined ? "Docker" : "Podman", version: ServerVersion }
}
