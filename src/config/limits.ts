/** Limits of toolkeep.yaml, and the defaults that its descriptions name. */
export const configLimits = {
  fileCharacters: 256 * 1024,
  /** One pattern on arguments. */
  expressionCharacters: 1_000,
  mcpServers: 64,
  mcpServerNameCharacters: 32,
  /** For Chromium with all its tabs, where control groups are available. */
  browserMemoryBytes: 2 * 1024 ** 3,
  /** For one session's sandboxes, snapshots and artifacts together, and for everything that Toolkeep stores. */
  sessionDiskBytes: 32 * 1024 ** 3,
  totalDiskBytes: 128 * 1024 ** 3,
  /** Sandboxes that servers keep ready, and the most that can be asked for. */
  warmSandboxes: 2,
  warmSandboxesMost: 64,
  /** The ranges of what a session's calls can be given. */
  outputBytesLeast: 4_000,
  outputBytesMost: 1_000_000,
  timeoutMsLeast: 1_000,
  timeoutMsMost: 86_400_000,
} as const
