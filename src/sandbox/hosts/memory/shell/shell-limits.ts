import type { BashOptions } from "just-bash"

type ExecutionLimits = NonNullable<BashOptions["executionLimits"]>

const none = Number.MAX_SAFE_INTEGER

/**
 * The shell's own limits, raised so far that deadlines and memory decide. What bounds a single
 * allocation stays: one that is larger than the heap ends the whole process, not just a thread.
 */
export function shellLimits(memoryBytes: number): ExecutionLimits {
  const textBytes = Math.floor(memoryBytes / 4)
  const elements = Math.floor(memoryBytes / 32)
  return {
    maxSourceBytes: textBytes,
    maxStringLength: textBytes,
    maxHeredocSize: textBytes,
    maxInputBytes: none,
    maxOutputSize: none,
    maxLiveBytes: none,
    maxArrayElements: elements,
    maxQueryElements: elements,
    maxBraceExpansionResults: elements,
    maxCsvRows: elements,
    maxCsvCells: elements,
    maxArchiveBytes: textBytes,
    maxArchiveCompressedBytes: textBytes,
    maxArchiveEntryBytes: textBytes,
    maxArchiveEntries: elements,
    maxCallDepth: none,
    maxExecDepth: none,
    maxSourceDepth: none,
    maxSubstitutionDepth: none,
    maxQueryDepth: 10_000,
    maxTraversalDepth: none,
    maxCommandCount: none,
    maxLoopIterations: none,
    maxAwkIterations: none,
    maxSedIterations: none,
    maxJqIterations: none,
    maxQueryTokens: none,
    maxAwkParserTokens: none,
    maxAwkParserOperations: none,
    maxWorkUnits: none,
    maxTraversalEntries: none,
    maxTraversalWork: none,
    maxGlobOperations: none,
    maxExecutionTimeMs: none,
    maxFileDescriptors: 65_536,
  }
}
