import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/checks/longest-first.ts"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Only what never comes fails: a busy machine may take many times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What comes at all comes soon on an idle machine; a busy one has a minute.
    expect: { poll: { timeout: 60_000 } },
    // For two cores: tests wait for engines, browsers and deadlines a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
})
