import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { localPackages } from "../../src/tools/audio/transcribe-tool.ts"

const root = new URL("../../", import.meta.url).pathname
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"))

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}
const locked: Readonly<Record<string, Locked>> = read("package-lock.json").packages

/** A package and all that it brings, as their directories. */
function withDependencies(name: string, from = ""): readonly string[] {
  const nested = `${from}${from && "/"}node_modules/${name}`
  const directory = nested in locked ? nested : `node_modules/${name}`
  const { dependencies = {} } = locked[directory] ?? {}
  return [
    directory,
    ...Object.keys(dependencies).flatMap((one) => withDependencies(one, directory)),
  ]
}

function bytesOf(directory: string): number {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

const names = localPackages.map((one) => one.replace(/(?<=.)@.*/, ""))
const directories = [...new Set(names.flatMap((name) => withDependencies(name)))]

it("Y14: what audio.transcribe has to install is under permissive licences", () => {
  expect(directories.length).toBeGreaterThan(names.length)
  const others = directories
    .map((directory) => `${directory}: ${locked[directory]?.license}`)
    .filter((line) => !/: (MIT|ISC|Apache-2\.0|BSD-[23]-Clause)$/.test(line))
  expect(others).toEqual([])
})

it("Y14: what audio.transcribe has to install is less than 250 MB", () => {
  const bytes = directories.reduce((sum, directory) => sum + bytesOf(directory), 0)
  expect(bytes).toBeLessThan(250 * 1024 ** 2)
  expect(bytes).toBeGreaterThan(100 * 1024 ** 2)
})

it("Y14: the versions that audio.transcribe names are those that the package accepts and that are tested", () => {
  const { devDependencies, peerDependencies } = read("package.json")
  for (const one of localPackages) {
    const [, name = "", version = ""] = /^(.+?)(?:@([\d.]+))?$/.exec(one) ?? []
    expect(devDependencies[name], one).toMatch(version)
    expect(peerDependencies[name], one).toMatch(version)
  }
})
