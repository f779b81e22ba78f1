import { defineConfig } from "tsdown"
import { workerFiles } from "./scripts/build/worker-files.ts"

/** What package.json names in "exports". */
const libraries = [
  "src/index.ts",
  "src/sandbox/index.ts",
  "src/tools/index.ts",
  "src/session/index.ts",
  "src/dialects/index.ts",
  "src/mcp/index.ts",
  "src/testing/index.ts",
]

export default defineConfig({
  entry: [...libraries, "src/cli/main.ts"],
  root: "src",
  format: "esm",
  platform: "node",
  target: "node22",
  fixedExtension: false,
  // Without hashes a new release differs from the last one only where it changed.
  hash: false,
  outputOptions: { chunkFileNames: "chunks/[name].js" },
  dts: { entry: libraries },
  plugins: [workerFiles()],
  // A warning should mean something: making types always takes the most time.
  checks: { pluginTimings: false },
})
