import { existsSync } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { type Capabilities, commonPrograms, ToolFailure } from "../../../contract/index.ts"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { findProgram, makeDirectories } from "../../../node/index.ts"
import { chooseLimits } from "../../host/choose-limits.ts"
import type { Host, HostStatus, SandboxSpec } from "../../host/host.ts"
import {
  hasTerminals,
  noSnapshots,
  processCapabilities,
  requireImage,
  requireNetwork,
} from "../../host/unsupported.ts"
import { findRipgrep } from "../../programs/ripgrep.ts"
import { errnoOf } from "./file-error.ts"

export interface LocalHostOptions {
  /** The directory that is the sandbox of that name; made when it is missing, never deleted. */
  readonly directoryFor: (name: string) => string
  readonly clock?: Clock
  /** Where PATH, HOME, LANG and TMPDIR come from; nothing else of it reaches a command. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Directories on this machine, without any isolation: for people who trust what they run. */
export function localHost(options: LocalHostOptions): Host {
  const { directoryFor, clock = systemClock, environment = process.env } = options
  const bash = () => findProgram("bash", environment.PATH ?? "")
  let known: Capabilities | null = null
  const can = () => {
    known ??= capabilities(environment.PATH ?? "")
    return known
  }

  async function probe(): Promise<HostStatus> {
    if (process.platform === "win32") {
      return unavailable("Windows has no process groups.", "Use WSL, or another host.")
    }
    if (process.platform === "linux" && !existsSync("/proc/self/fd")) {
      return unavailable("There is no /proc.", "Mount it: mount -t proc proc /proc")
    }
    if (bash() === null) {
      return unavailable("There is no bash in PATH.", "Install bash, or add its directory to PATH.")
    }
    return { kind: "ready" }
  }

  return {
    name: "local",
    summary:
      "A directory on this machine, with no isolation: commands can do whatever you can, network included.",
    get can() {
      return can()
    },
    probe,
    images: async () => ["host"],
    removeSnapshot: noSnapshots("local"),
    async create({ name, image, network, limits }: SandboxSpec) {
      requireImage(image, ["host"], can())
      await requireNetwork(can(), network)
      chooseLimits({ host: "local" }, can().limits, limits)
      const directory = await requireDirectory(resolve(directoryFor(name)))
      // Loaded on first use: other hosts do not pay for this one.
      const { createLocalSandbox } = await import("./local-sandbox.ts")
      return createLocalSandbox({
        name,
        directory,
        can: can(),
        bash: bash() ?? "bash",
        clock,
        environment,
      })
    },
  }
}

function capabilities(path: string): Capabilities {
  return {
    host: "local",
    isolation: "none",
    ...processCapabilities,
    terminal: hasTerminals((name) => findProgram(name, path) !== null),
    networks: ["full"],
    languages: findLanguages(path),
    programs: commonPrograms.filter((name) => findProgram(name, path) !== null),
    snapshots: false,
    images: ["host"],
    imageRemedy: "The local host has no images: its commands use this machine's own programs.",
    ripgrep: findRipgrep(),
    limits: { memoryBytes: null, diskBytes: null, processes: null, processors: null },
  }
}

async function requireDirectory(path: string): Promise<string> {
  try {
    makeDirectories(path, 0o700)
    const real = await realpath(path)
    if ((await stat(real)).isDirectory()) return real
  } catch (error) {
    throw badDirectory(path, error)
  }
  throw badDirectory(path)
}

function badDirectory(path: string, cause?: unknown): ToolFailure {
  const errno = errnoOf(cause) ?? ""
  const why = ["", "EEXIST", "ENOTDIR"].includes(errno)
    ? "it, or a part of its path, is not a directory"
    : `the system answers ${errno}`
  return new ToolFailure(
    {
      kind: "invalid_args",
      message: `${JSON.stringify(path)} can't be the directory of a local sandbox: ${why}.`,
    },
    { cause },
  )
}

function unavailable(reason: string, remedy: string): HostStatus {
  return { kind: "unavailable", reason, remedy }
}

/** What this machine runs code with. JavaScript is run by the Node that this process is. */
function findLanguages(path: string): Capabilities["languages"] {
  const javascript = [process.execPath, "-e"]
  return {
    // "--" ends bash's options: the code may itself begin with a dash.
    ...(findProgram("bash", path) && { bash: ["bash", "--noprofile", "--norc", "-c", "--"] }),
    javascript,
    // Node then strips the types of TypeScript.
    ...(process.features.typescript && { typescript: javascript }),
    ...(findProgram("python3", path) && { python: ["python3", "-c"] }),
  }
}
