import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/checks/longest-first.ts"
import { PrintTimes } from "./test/times/print-times.ts"

/** Tests that change or measure the process that they run in, or that mostly wait for other programs. */
const ownProcess = [
  "src/mcp/bridge/hostile-servers.test.ts",
  "src/mcp/server/stdio/line-transport.test.ts",
  "src/sandbox/hosts/local/{commands,trees}/**/*.test.ts",
  "src/sandbox/hosts/local/files/write-file.test.ts",
  "src/sandbox/previews/previews.test.ts",
  "src/tools/browser/**/*.test.ts",
  "test/attacks/**/*.test.ts",
  "test/{conformance,console,e2e,engine,faults,fuzz,images}/**/*.test.ts",
  "test/checks/{browser-entry,documents,examples,package,readme}.test.ts",
  "test/mcp/{conformance,conformance-client,http-hostile,reference-servers}.test.ts",
]

/** All others: loading the product once for many files halves their processor time. */
const sharedProcess = ["{console,src,test}/**/*.test.ts"]

// Each test process, and each Node that a test starts, finds modules as the first one compiled them.
process.env.NODE_COMPILE_CACHE = fileURLToPath(
  new URL("node_modules/.cache/compiled", import.meta.url),
)

export default defineConfig({
  test: {
    setupFiles: ["./test/support/keep-compiled.ts", "./test/times/processor-time.ts"],
    // Only what never comes fails: a busy machine may take many times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What comes at all comes soon on an idle machine; a busy one has a minute.
    expect: { poll: { timeout: 60_000 } },
    // For two cores: tests wait for engines, browsers and deadlines half of their time.
    maxWorkers: 4,
    // Node runs the sources as they are, so nothing is transformed: a tenth of the processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    reporters: ["default", ...(process.env.TEST_TIMES ? [new PrintTimes()] : [])],
    projects: [
      {
        extends: true,
        test: { name: "shared", include: sharedProcess, exclude: ownProcess, isolate: false },
      },
      { extends: true, test: { name: "alone", include: ownProcess } },
    ],
  },
})
