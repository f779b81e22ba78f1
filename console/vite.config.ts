import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { brotliCompressSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    // The server's policy allows no script or style that is not a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
  },
  plugins: [precompressed()],
})

/** Each file also compressed, as it was written: Vite still changes chunks after the plugins before have seen them. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const names = Object.keys(bundle)
      await Promise.all(
        names.map(async (name) => {
          const file = join(dir, name)
          await writeFile(`${file}.br`, brotliCompressSync(await readFile(file)))
        }),
      )
    },
  }
}
