import { abort } from "./checks/abort.ts"
import { background } from "./checks/background.ts"
import { backgroundEndings } from "./checks/background-endings.ts"
import { code } from "./checks/code.ts"
import { commands } from "./checks/commands.ts"
import { concurrency } from "./checks/concurrency.ts"
import { directories } from "./checks/directories.ts"
import { directoryMoves } from "./checks/directory-moves.ts"
import { environment } from "./checks/environment.ts"
import { exitCodes } from "./checks/exit-codes.ts"
import { fileContent } from "./checks/file-content.ts"
import { fileFailures } from "./checks/file-failures.ts"
import { fileNames } from "./checks/file-names.ts"
import { fileRanges } from "./checks/file-ranges.ts"
import { fileStat } from "./checks/file-stat.ts"
import { fileWrites } from "./checks/file-writes.ts"
import { freshCommands } from "./checks/fresh-commands.ts"
import { hostileTrees } from "./checks/hostile-trees.ts"
import { idleTimeouts } from "./checks/idle-timeouts.ts"
import { limitChecks } from "./checks/limits.ts"
import { links } from "./checks/links.ts"
import { listing } from "./checks/listing.ts"
import { liveOutput } from "./checks/live-output.ts"
import { network } from "./checks/network.ts"
import { output } from "./checks/output.ts"
import { outputLimits } from "./checks/output-limits.ts"
import { ports } from "./checks/ports.ts"
import { processGroups } from "./checks/process-groups.ts"
import { sandboxLife } from "./checks/sandbox-life.ts"
import { sleep } from "./checks/sleep.ts"
import { snapshots } from "./checks/snapshots.ts"
import { stdin } from "./checks/stdin.ts"
import { timeouts } from "./checks/timeouts.ts"
import { transfers } from "./checks/transfer.ts"
import { trees } from "./checks/trees.ts"
import { workingDirectory } from "./checks/working-directory.ts"
import type { ConformanceCheck } from "./conformance-check.ts"

/** Every promise that a host can make, by topic. */
export const conformanceChecks: readonly ConformanceCheck[] = [
  ...exitCodes,
  ...output,
  ...outputLimits,
  ...liveOutput,
  ...timeouts,
  ...idleTimeouts,
  ...abort,
  ...processGroups,
  ...commands,
  ...workingDirectory,
  ...environment,
  ...freshCommands,
  ...stdin,
  ...concurrency,
  ...fileContent,
  ...fileRanges,
  ...fileWrites,
  ...fileFailures,
  ...fileStat,
  ...fileNames,
  ...links,
  ...listing,
  ...sandboxLife,
  ...network,
  ...directories,
  ...directoryMoves,
  ...trees,
  ...transfers,
  ...hostileTrees,
  ...code,
  ...background,
  ...backgroundEndings,
  ...ports,
  ...sleep,
  ...limitChecks,
  ...snapshots,
]
