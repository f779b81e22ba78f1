import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { useTemporaryFiles } from "./scripts/temporary-files.ts"
import { LongestFirst } from "./test/checks/longest-first.ts"
import { PrintTimes } from "./test/times/print-times.ts"

/** Tests that change or measure the process that they run in, or that start so many others that its size matters. */
const ownProcess = [
  "src/mcp/bridge/hostile-servers.test.ts",
  "src/mcp/server/stdio/line-transport.test.ts",
  "src/sandbox/hosts/local/commands/{command-environment,command-output,end-processes}.test.ts",
  "src/sandbox/hosts/local/{files/write-file,trees/stream-trees}.test.ts",
  "src/sandbox/previews/previews.test.ts",
  "src/tools/browser/**/*.test.ts",
  "test/attacks/{disk,disk-totals,hostile-files,mounts,network-allow-list,secrets,tools}.test.ts",
  "test/{conformance,faults}/**/*.test.ts",
  "test/fuzz/{agent,bridge,mcp-http}.test.ts",
  "test/mcp/http-hostile.test.ts",
]

/** Tests that mostly wait for other programs, and so begin before the others. */
const waiting = [
  "src/sandbox/hosts/local/{commands,trees}/**/*.test.ts",
  "test/{attacks,console,e2e,engine,fuzz,images,postgres}/**/*.test.ts",
  "test/checks/{browser-entry,documents,examples,package,readme}.test.ts",
  "test/mcp/{conformance,conformance-client,reference-servers}.test.ts",
]

/** Those that need a cluster are run by `npm run test:cluster`. */
const ofClusters = ["test/cluster/**/*.test.ts"]

/** All others. */
const sharedProcess = ["{console,src,test}/**/*.test.ts"]

useTemporaryFiles()

// Each test process, and each Node that a test starts, finds modules as the first one compiled them.
process.env.NODE_COMPILE_CACHE = fileURLToPath(
  new URL("node_modules/.cache/compiled", import.meta.url),
)

export default defineConfig({
  test: {
    setupFiles: [
      "./test/support/fixed-seed.ts",
      "./test/support/keep-compiled.ts",
      "./test/times/processor-time.ts",
    ],
    // Only what never comes fails: a busy machine may take many times as long as an idle one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What comes at all comes soon on an idle machine; a busy one has a minute.
    expect: { poll: { timeout: 60_000 } },
    // For two cores: tests wait for engines, browsers and deadlines half of their time. More only slow each other down.
    maxWorkers: 4,
    // Node runs the sources as they are, so nothing is transformed: a tenth of the processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    reporters: ["default", ...(process.env.TEST_TIMES ? [new PrintTimes()] : [])],
    // They run in the order of their names. To load the product once for many files halves their processor time.
    projects: [
      { extends: true, test: { name: "alone", include: ownProcess } },
      {
        extends: true,
        test: { name: "long", include: waiting, exclude: ownProcess, isolate: false },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: sharedProcess,
          exclude: [...ownProcess, ...waiting, ...ofClusters],
          isolate: false,
        },
      },
    ],
  },
})
