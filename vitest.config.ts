import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/checks/longest-first.ts"

/**
 * Tests of these load the product once for many files, which halves their processor time: nothing in them changes
 * or measures the process that they run in. The others have a process of their own for each file.
 */
const sharesProcess = [
  "src/{config,contract,dialects,kit,policy,runtime,session,store}/**/*.test.ts",
  "src/tools/{file,shell,tools}/**/*.test.ts",
  "test/pins/**/*.test.ts",
]

export default defineConfig({
  test: {
    // Only what never comes fails: a busy machine may take many times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What comes at all comes soon on an idle machine; a busy one has a minute.
    expect: { poll: { timeout: 60_000 } },
    // For two cores: tests wait for engines, browsers and deadlines a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "shared", include: sharesProcess, isolate: false } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: sharesProcess,
        },
      },
    ],
  },
})
