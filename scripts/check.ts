import { runChecks } from "./checks/run-checks.ts"

/** What `npm run check` checks. */
const passed = await runChecks(
  {
    "format and lint": ["biome", "check", "--error-on-warnings", "--colors=off", "."],
    // The build info is in node_modules, so that a second run only checks what changed.
    types: ["tsc", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/check.tsbuildinfo"],
    "types of the console": ["tsc", "-p", "console", "--noEmit"],
    layers: ["node", "scripts/check-layers.ts"],
    words: ["node", "scripts/check-words.ts"],
    "unused exports": ["knip", "--no-progress", "--no-config-hints"],
  },
  console.log,
)
process.exitCode = passed ? 0 : 1
