import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { repositoryRoot } from "../../scripts/repository.ts"
import { buildTypedPackage } from "../support/built-package.ts"
import { runCommand } from "./run-command.ts"

const entries = Object.keys(manifest.exports).map((path) => path.replace(/^\./, manifest.name))

let folder: string
/** A directory of someone who installed the package: it has what npm would put there, no more. */
let user: string
const run = (command: string, cwd = user) => runCommand(command, { cwd })

async function packAndInstall(): Promise<void> {
  const staged = join(folder, "staged")
  await mkdir(staged)
  await cp(join(await buildTypedPackage(), "dist"), join(staged, "dist"), { recursive: true })
  for (const name of ["package.json", ...manifest.files.filter((file) => file !== "dist")]) {
    await cp(join(repositoryRoot, name), join(staged, name))
  }
  // The build above is what `prepack` would make again.
  const packed = await run("npm pack --ignore-scripts --loglevel error", staged)
  expect(packed.exitCode, packed.output).toBe(0)
  const installed = join(user, "node_modules", manifest.name)
  await mkdir(installed, { recursive: true })
  const unpacked = await run(`tar -xzf ../staged/*.tgz --strip-components 1 -C '${installed}'`)
  expect(unpacked).toEqual({ exitCode: 0, output: "" })
}

/** Links what package.json declares and nothing else, so that an undeclared dependency is missed. */
async function linkDependencies(): Promise<void> {
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(user, "node_modules", name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(repositoryRoot, "node_modules", name), link)
  }
  await mkdir(join(user, "node_modules", ".bin"))
  const command = join("..", manifest.name, manifest.bin.toolkeep)
  await symlink(command, join(user, "node_modules", ".bin", "toolkeep"))
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-package-"))
  user = join(folder, "user")
  await mkdir(user)
  await packAndInstall()
  await linkDependencies()
}, 600_000)
afterAll(() => rm(folder, { recursive: true }))

/** A project that has a package in this version, and Toolkeep's peers but not its dependencies: no registry is asked. */
async function projectWith(name: string, version: string): Promise<string> {
  const project = await mkdtemp(join(folder, "beside-"))
  const { name: own, peerDependencies, peerDependenciesMeta } = manifest
  const packages = [
    { name, version },
    { name: own, version: manifest.version, peerDependencies, peerDependenciesMeta },
  ]
  for (const one of packages) {
    await mkdir(join(project, one.name))
    await writeFile(join(project, one.name, "package.json"), JSON.stringify(one))
  }
  const dependencies = Object.fromEntries(packages.map((one) => [one.name, `file:./${one.name}`]))
  await writeFile(join(project, "package.json"), JSON.stringify({ dependencies }))
  return project
}

describe("the published package", () => {
  it.each([
    ["sharp", "0.34.0", "image.analyze", null],
    ["undici", "6.0.0", "web.fetch", null],
    ["undici", "8.0.0", "web.fetch", null],
    [
      "playwright-core",
      "1.60.0",
      "browser.navigate",
      "can't use playwright-core 1.60.0, only from",
    ],
  ])(
    "Y14: installs beside %s %s, and says so if %s can't use it",
    async (name, version, tool, problem) => {
      const project = await projectWith(name, version)
      const command = "npm install --offline --install-links --no-audit --no-fund --loglevel error"
      const installed = await run(command, project)
      expect(installed.exitCode, installed.output).toBe(0)
      await cp(join(project, "node_modules", name), join(user, "node_modules", name), {
        recursive: true,
      })
      const { output } = await run(
        `node_modules/.bin/toolkeep call ${tool} '{"url":"http://localhost/"}'`,
      )
      await rm(join(user, "node_modules", name), { recursive: true })
      if (problem === null) expect(output).not.toContain(name)
      else
        expect(JSON.parse(output)).toMatchObject({
          kind: "unavailable",
          message: expect.stringContaining(problem),
        })
    },
  )

  it("shows one statement of its code, not all, with an error that nobody catches", async () => {
    await writeFile(
      join(user, "uncaught.mjs"),
      'import { openToolkeep } from "toolkeep"\nawait openToolkeep({ host: "none" })',
    )
    const { exitCode, output } = await run("node uncaught.mjs")
    expect(exitCode).toBe(1)
    expect(output.length).toBeLessThan(8_000)
  })

  it("answers its version on the command line", async () => {
    const result = await run("node_modules/.bin/toolkeep --version")
    expect(result).toEqual({ exitCode: 0, output: `${manifest.version}\n` })
  })

  it("answers a call that needs no sandbox", async () => {
    const { exitCode, output } = await run("node_modules/.bin/toolkeep call system.info '{}'")
    expect({ exitCode, envelope: JSON.parse(output) }).toMatchObject({
      exitCode: 0,
      envelope: { ok: true, tool: "system.info" },
    })
  })

  it("runs a command in its sandbox", async () => {
    const { exitCode, output } = await run(
      `node_modules/.bin/toolkeep call shell.exec '{"command":"echo hi"}'`,
    )
    expect({ exitCode, envelope: JSON.parse(output) }).toMatchObject({
      exitCode: 0,
      envelope: { ok: true, tool: "shell.exec", result: { stdout: "hi\n", exit_code: 0 } },
    })
  })

  it("Y9: serves the console from its own files", async () => {
    const ask = `fetch(process.argv[1]).then(async (page) => console.log((await page.text()).includes("/assets/")))`
    const { output } = await run(
      `node_modules/.bin/toolkeep up --host memory --port 0 >up.log 2>&1 & up=$!
      until grep -qs Ctrl-C up.log; do sleep 0.1; done
      node -e '${ask}' "$(grep -o 'http://127[.0-9:]*' up.log | head -n 1)"
      kill $up; wait $up`,
    )
    expect(output).toBe("true\n")
  })

  it("lets a program import every entry by its name", async () => {
    const lines = entries.map((entry, index) => `import * as entry${index} from "${entry}"`)
    const names = entries.map((_, index) => `entry${index}`)
    const print = `for (const entry of [${names}]) console.log(Object.keys(entry).length > 0)`
    await writeFile(join(user, "imports.mjs"), [...lines, print].join("\n"))
    const expected = entries.map(() => "true\n").join("")
    expect(await run("node imports.mjs")).toEqual({ exitCode: 0, output: expected })
  })

  it("has types for every entry that a strict compiler accepts", async () => {
    const lines = entries.map((entry, index) => `export * as entry${index} from "${entry}"`)
    await writeFile(join(user, "types.mts"), lines.join("\n"))
    await symlink(join(repositoryRoot, "node_modules/@types"), join(user, "node_modules/@types"))
    const options =
      "--noEmit --strict --module nodenext --target es2024 --lib es2024,esnext.disposable --types node"
    expect(await run(`tsc ${options} types.mts`)).toEqual({ exitCode: 0, output: "" })
  })

  it("names no file of the machine that built it, and needs no newer syntax than Node 22 has", async () => {
    const installed = join(user, "node_modules", manifest.name)
    const files = await readdir(join(installed, "dist"), { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), "utf8")
      expect(text, file.name).not.toContain(repositoryRoot)
      expect(text, file.name).not.toMatch(/^\s*(await )?using \w+ =/m)
    }
  })
})
