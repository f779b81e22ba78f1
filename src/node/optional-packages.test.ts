import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import {
  fits,
  type OptionalPackage,
  optionalPackages,
  packageProblem,
} from "./optional-packages.ts"

const names = Object.keys(optionalPackages) as OptionalPackage[]
const withVersions = (versions: Readonly<Record<string, string>>) => (name: string) =>
  versions[name] ?? null

describe("the packages that Toolkeep can do without", () => {
  it("are peers of any version that nobody has to install, and no others are", () => {
    expect(manifest.peerDependencies).toEqual(Object.fromEntries(names.map((name) => [name, "*"])))
    const optional = Object.fromEntries(names.map((name) => [name, { optional: true }]))
    expect(manifest.peerDependenciesMeta).toEqual(optional)
  })

  it.each(names)("%s: what the tests use fits, and so does what the sentence installs", (name) => {
    const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
    const { version } = JSON.parse(readFileSync(path, "utf8"))
    const { install } = optionalPackages[name]
    expect(fits(version, optionalPackages[name])).toBe(true)
    expect(`${version}.`.startsWith(`${install}.`)).toBe(true)
    expect(packageProblem("It", [name])).toBe(null)
  })

  it("that are absent, too old or too new are named with one command that installs fitting ones", () => {
    const problem = (versions: Readonly<Record<string, string>>) =>
      packageProblem("web.fetch", ["undici", "linkedom"], withVersions(versions))
    expect(problem({ undici: "6.0.0", linkedom: "0.18.12" })).toBe(null)
    expect(problem({ undici: "8.12.4", linkedom: "0.99.0" })).toBe(null)
    expect(problem({})).toBe(
      "web.fetch needs undici and linkedom: run `npm install undici@7 linkedom@0.18.12`.",
    )
    expect(problem({ undici: "5.28.4", linkedom: "0.18.12" })).toBe(
      "web.fetch can't use undici 5.28.4, only from 6.0.0 to below 9.0.0: run `npm install undici@7`.",
    )
    expect(problem({ undici: "9.0.0-alpha.1" })).toBe(
      "web.fetch needs linkedom, and can't use undici 9.0.0-alpha.1, only from 6.0.0 to below 9.0.0: " +
        "run `npm install linkedom@0.18.12 undici@7`.",
    )
  })
})
