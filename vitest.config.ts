import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    // Two cores: more workers than that make the timing tests wait for each other.
    maxWorkers: 2,
  },
})
