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

/** Each file also compressed, so that the server never has to. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const source = file.type === "chunk" ? file.code : file.source
        this.emitFile({
          type: "asset",
          fileName: `${file.fileName}.br`,
          source: brotliCompressSync(source),
        })
      }
    },
  }
}
