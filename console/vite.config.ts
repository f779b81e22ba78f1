import { readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
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
    // A warning should mean something: compressing always takes the most time.
    rolldownOptions: {
      // The console, and the page of a pattern.
      input: ["index.html", "pattern.html"].map((page) => join(import.meta.dirname, page)),
      checks: { pluginTimings: false },
    },
  },
  plugins: [sharedHead(), xtermUnderPolicy(), precompressed()],
})

/** What both pages have in their heads. */
function sharedHead(): Plugin {
  const head = readFileSync(join(import.meta.dirname, "head.html"), "utf8")
  return {
    name: "shared-head",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => html.replace("<!-- head.html -->", head.trim()),
    },
  }
}

/** The highest would take ten times as long for a few kilobytes. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

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
          await writeFile(`${file}.br`, brotliCompressSync(await readFile(file), { params }))
        }),
      )
    },
  }
}

/** What xterm does that `style-src 'self'` refuses, how often, and what is allowed and does the same. */
const refused = [
  { code: '.createElement("style")', times: 3, allowed: '.createElement("toolkeep-sheet")' },
  { code: 't.setAttribute("style",`', times: 1, allowed: "Reflect.set(t.style,`cssText`,`" },
] as const

/** Fails the build where xterm has changed, so that nobody meets an unstyled terminal. */
function xtermUnderPolicy(): Plugin {
  return {
    name: "xterm-under-policy",
    transform(source, id) {
      if (!/@xterm\/xterm\/.*\.mjs$/.test(id)) return null
      return refused.reduce((code, one) => {
        const parts = code.split(one.code)
        if (parts.length !== one.times + 1) this.error(`xterm has changed: look for ${one.code}`)
        return parts.join(one.allowed)
      }, source)
    },
  }
}
