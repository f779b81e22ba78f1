import { defineConfig } from "tsdown"
import { bundledLicenses } from "./scripts/build/bundled-licenses.ts"
import { shortLines } from "./scripts/build/short-lines.ts"
import { workerFiles } from "./scripts/build/worker-files.ts"

/** What package.json names in "exports". */
const libraries = [
  "toolkeep",
  "agent",
  "reactive",
  "reactive/jsx-runtime",
  "reactive/vite",
  "core",
  "sandbox",
  "mcp",
  "client",
  "dialects",
  "testing",
  "compat",
].map((entry) => `src/public/${entry}.ts`)

export default defineConfig({
  entry: [...libraries, "src/cli/main.ts"],
  root: "src",
  format: "esm",
  // Not "node", for which every chunk would import a part of Node: `toolkeep/core` runs without it.
  platform: "neutral",
  inputOptions: { external: [/^node:/], resolve: { mainFields: ["module", "main"] } },
  target: "node22",
  fixedExtension: false,
  // Without hashes a new release differs from the last one only where it changed.
  hash: false,
  outputOptions: {
    chunkFileNames: "chunks/[name].js",
    // Left alone the bundler makes ninety chunks of what a command needs at its start, and to find and open them
    // was a third of a cold call. The first is what runs without Node.
    codeSplitting: {
      groups: [
        // Alone: the command looks at it before it loads anything else.
        { name: "runtime-problem", test: /src\/node\/runtime-problem\.ts$/, priority: 3 },
        {
          name: "core",
          test: /src\/(kit|config|contract|policy|runtime)\/.*(?<!\.d)\.ts$/,
          priority: 2,
        },
        {
          name: "start",
          test: /src\/cli\/(commands\/call|run-command-line|output\/terminal)\.ts$/,
          priority: 1,
        },
      ],
    },
  },
  // Eager: all files belong to one program of the compiler, instead of one program for each entry.
  dts: { entry: libraries, eager: true, tsconfig: "tsconfig.build.json" },
  // Ajv is eighty files, and to find and open them took a fifth of a cold call. The server's part of the MCP SDK is 110
  // with zod, half of them its texts in other languages: a fifth of the start of `toolkeep mcp`.
  deps: {
    onlyBundle: [
      ...["ajv", "ajv-formats", "fast-deep-equal", "fast-uri", "json-schema-traverse"],
      ...["@modelcontextprotocol/server", "@modelcontextprotocol/core", "zod"],
    ],
  },
  plugins: [workerFiles(), bundledLicenses(), shortLines()],
  // Names stay for stack traces; comments and blanks would be read by every cold call.
  minify: { mangle: false, compress: false },
  // A warning should mean something: making types always takes the most time.
  checks: { pluginTimings: false },
})
