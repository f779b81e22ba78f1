import { defineConfig } from "tsdown"
import { bundledLicenses } from "./scripts/build/bundled-licenses.ts"
import { workerFiles } from "./scripts/build/worker-files.ts"

/** What package.json names in "exports". */
const libraries = [
  "src/index.ts",
  "src/sandbox/index.ts",
  "src/tools/index.ts",
  "src/session/index.ts",
  "src/dialects/index.ts",
  "src/mcp/public.ts",
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
  // Ajv is eighty files, and to find and open them took a fifth of a cold call.
  deps: {
    onlyBundle: ["ajv", "ajv-formats", "fast-deep-equal", "fast-uri", "json-schema-traverse"],
  },
  plugins: [workerFiles(), bundledLicenses()],
  // A warning should mean something: making types always takes the most time.
  checks: { pluginTimings: false },
})
