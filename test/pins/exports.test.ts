import { describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { exportedNames } from "./exported-names.ts"

it("the package's entries", () => {
  expect(manifest.exports).toEqual({
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./sandbox": { types: "./dist/sandbox/index.d.ts", default: "./dist/sandbox/index.js" },
    "./tools": { types: "./dist/tools/index.d.ts", default: "./dist/tools/index.js" },
    "./session": { types: "./dist/session/index.d.ts", default: "./dist/session/index.js" },
    "./testing": { types: "./dist/testing/index.d.ts", default: "./dist/testing/index.js" },
  })
  expect(manifest.bin).toEqual({ toolkeep: "./dist/cli/main.js" })
  expect(manifest.engines).toEqual({ node: ">=22" })
})
