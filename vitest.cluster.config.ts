import { defineConfig } from "vitest/config"
import { useTemporaryFiles } from "./scripts/temporary-files.ts"

useTemporaryFiles()
const isLocal = process.env.TOOLKEEP_TEST_CLUSTER !== undefined

export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    // Those that end and start parts of a cluster do so only with one that was started for them.
    exclude: isLocal ? [] : ["test/cluster/parts/**"],
    globalSetup: ["test/cluster/global-setup.ts"],
    setupFiles: ["./test/support/fixed-seed.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Two nodes, their pods and the tests share the machine.
    maxWorkers: 1,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
