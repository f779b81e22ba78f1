import { commands, exitCodes } from "./checks/commands/commands.ts"
import { concurrency } from "./checks/commands/concurrency.ts"
import { liveOutput, output, outputLimits } from "./checks/commands/output.ts"
import { environment, freshCommands, workingDirectory } from "./checks/commands/starting-state.ts"
import { stdin } from "./checks/commands/stdin.ts"
import { abort } from "./checks/endings/abort.ts"
import { processGroups } from "./checks/endings/process-groups.ts"
import { idleTimeouts, timeouts } from "./checks/endings/timeouts.ts"
import { directories } from "./checks/files/directories.ts"
import { directoryMoves } from "./checks/files/directory-moves.ts"
import { fileContent, fileRanges } from "./checks/files/file-content.ts"
import { fileFailures } from "./checks/files/file-failures.ts"
import { fileNames } from "./checks/files/file-names.ts"
import { fileWrites } from "./checks/files/file-writes.ts"
import { hostileTrees } from "./checks/files/hostile-trees.ts"
import { links } from "./checks/files/links.ts"
import { fileStat, listing } from "./checks/files/stat-and-listing.ts"
import { transfers, trees } from "./checks/files/trees.ts"
import { background } from "./checks/processes/background.ts"
import { backgroundEndings } from "./checks/processes/background-endings.ts"
import { code } from "./checks/processes/code.ts"
import { ports } from "./checks/processes/ports.ts"
import { terminals } from "./checks/processes/terminals.ts"
import { checkpoints } from "./checks/sandboxes/checkpoints.ts"
import { limitChecks } from "./checks/sandboxes/limits.ts"
import { network } from "./checks/sandboxes/network.ts"
import { sandboxLife, sleep } from "./checks/sandboxes/sandbox-life.ts"
import { snapshots } from "./checks/sandboxes/snapshots.ts"
import type { ConformanceCheck } from "./measure/conformance-check.ts"

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
  ...terminals,
  ...ports,
  ...sleep,
  ...limitChecks,
  ...snapshots,
  ...checkpoints,
]
