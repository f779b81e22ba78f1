import type { BrokenHost } from "./broken-host.ts"
import { flawedCheckpoints } from "./flawed-checkpoints.ts"
import { flawedDirectories } from "./flawed-directories.ts"
import { flawedEndings } from "./flawed-endings.ts"
import { flawedLimits } from "./flawed-limits.ts"
import { flawedLives } from "./flawed-lives.ts"
import { flawedNames } from "./flawed-names.ts"
import { flawedNetworks } from "./flawed-networks.ts"
import { flawedOutcomes } from "./flawed-outcomes.ts"
import { flawedPorts } from "./flawed-ports.ts"
import { flawedProcesses } from "./flawed-processes.ts"
import { flawedReads } from "./flawed-reads.ts"
import { flawedRuns } from "./flawed-runs.ts"
import { flawedSleep } from "./flawed-sleep.ts"
import { flawedSnapshots } from "./flawed-snapshots.ts"
import { flawedTerminals } from "./flawed-terminals.ts"
import { flawedTransfers } from "./flawed-transfers.ts"
import { flawedTrees } from "./flawed-trees.ts"
import { flawedWrites } from "./flawed-writes.ts"

/** Hosts that are wrong on purpose, to prove that the suite notices. */
export const brokenHosts: readonly BrokenHost[] = [
  ...flawedOutcomes,
  ...flawedRuns,
  ...flawedEndings,
  ...flawedReads,
  ...flawedWrites,
  ...flawedNames,
  ...flawedLives,
  ...flawedLimits,
  ...flawedNetworks,
  ...flawedSleep,
  ...flawedPorts,
  ...flawedProcesses,
  ...flawedTerminals,
  ...flawedTrees,
  ...flawedTransfers,
  ...flawedDirectories,
  ...flawedSnapshots,
  ...flawedCheckpoints,
]
