import { execFile } from "node:child_process"
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { runConformance } from "../../src/testing/index.ts"
import { makeBusyboxRoot } from "./busybox-root.ts"
import { type ImageGround, openImageGround } from "./image-ground.ts"
import { writeLayout, writeSaved } from "./oci-layout.ts"
import { makeSmallRoot, pack } from "./small-root.ts"

const execute = promisify(execFile)
let ground: ImageGround

beforeAll(async () => {
  ground = await openImageGround(makeBusyboxRoot)
}, 120_000)
afterAll(() => ground[Symbol.asyncDispose]())

/** What programs inside have a part in; the other promises are kept by the agent, which is the same everywhere. */
const needingPrograms = [
  ...["commands", "environment", "exit-codes", "fresh-commands", "working-directory", "stdin"],
  ...[
    "file-content",
    "file-failures",
    "file-names",
    "file-stat",
    "listing",
    "links",
    "directories",
  ],
  ...[
    "file-writes.append",
    "file-writes.mode",
    "file-writes.mode-kept",
    "file-writes.through-link",
  ],
  ...["trees.same", "trees.merge", "trees.one-file", "trees.links-in-target", "trees.hard-links"],
  ...["process-groups", "ports", "transfer", "sleep.files", "code.prints", "network.allow-list"],
  ...["limits.processes", "snapshots.content"],
]

describe("an image without bash, GNU's programs and their C library", () => {
  it("F10, F21: keeps the host's promises about commands, files, trees, processes and networks", async () => {
    const host = await ground.hostWith({ busybox: ground.root, host: "host" })
    const { checks } = await runConformance(host, { only: needingPrograms })
    const broken = checks.filter(({ kept }) => kept === false)
    expect(broken.map(({ id, how }) => `${id}: ${how}`)).toEqual([])
    expect(checks.length).toBeGreaterThan(100)
  }, 240_000)

  it("F10: commands see its own programs and nothing that tells of the lent ones", async () => {
    const before = await readdir(ground.root, { recursive: true })
    const workspace = await ground.open(await ground.hostWith({ busybox: ground.root }), "busybox")
    const own = await workspace.exec(
      "cat /etc/image-name; type -P tar find grep; tar --help 2>&1 | head -n 1; ls /lib64 /lib",
    )
    expect(own.stdout).toMatch(
      /^busybox\n\/bin\/tar\n\/usr\/bin\/find\n\/bin\/grep\nBusyBox .*\n\/lib:\n$/,
    )
    const { stdout } = await workspace.exec(["env"])
    const names = stdout.split("\n").flatMap((line) => line.match(/^\w+(?==)/) ?? [])
    const usual = "HOME LANG LOGNAME PATH PWD SHELL SHLVL TERM TMPDIR TOOLKEEP_COMMAND USER"
    expect(names.sort().join(" ")).toBe(usual)
    expect(stdout).not.toContain("/run/")
    expect(await readdir(ground.root, { recursive: true })).toEqual(before)
  })

  it("F10: bash is the lent one, as the shell, by name and by path, and knows more letters than ASCII", async () => {
    const merged = await makeBusyboxRoot(join(await ground.place(), "merged"), "merged")
    const host = await ground.hostWith({ plain: ground.root, merged })
    for (const image of ["plain", "merged"]) {
      const workspace = await ground.open(host, image)
      await workspace.writeFile("script", `#!/bin/bash\nx=é; echo "\${#x} $BASH"`, { mode: 0o755 })
      const told = await workspace.exec(
        `x=é; echo \${#x}; ./script; bash -c 'x=é; echo \${#x} $0'; eval 'echo \${#x} $BASH'`,
      )
      expect(told.stdout).toBe("1\n1 /bin/bash\n1 bash\n1 /bin/bash\n")
      expect((await workspace.exec("busybox sh -c 'echo $0'; type -P sh")).stdout).toBe(
        `sh\n${image === "merged" ? "/usr" : ""}/bin/sh\n`,
      )
      const { stdout } = await workspace.runCode("javascript", "console.log(6 * 7)")
      expect(stdout).toBe("42\n")
    }
  })

  it("F10: can be a tar of a root file system, what docker save writes, or an OCI layout", async () => {
    const files = await ground.place()
    const tar = await pack(ground.root, join(files, "alpine.tar"))
    const layout = await writeLayout(join(files, "layout"), [tar], ["PATH=/bin:/usr/bin"])
    const saved = await pack(
      await writeSaved(join(files, "saved"), [tar]),
      join(files, "saved.tar"),
    )
    const host = await ground.hostWith({ tar, layout, saved })
    for (const image of ["tar", "layout", "saved"]) {
      const workspace = await ground.open(host, image)
      await workspace.writeFile("deep/file", "written")
      const { stdout } = await workspace.exec("cat /etc/image-name deep/file; bash -c 'echo; pwd'")
      expect(stdout).toBe("busybox\nwritten\n/home/user\n")
    }
  })

  it("R8: code can be run in the languages that the image itself has", async () => {
    const python = await ground.place()
    await execute("cp", ["-a", `${ground.root}/.`, python])
    await writeFile(join(python, "usr/bin/python3"), "#!/bin/sh\necho code: $2\n", { mode: 0o755 })
    const host = await ground.hostWith({ python, root: ground.root, host: "host" })
    expect(Object.keys(host.can.languages)).toContain("python")
    const workspace = await ground.open(host, "python")
    expect((await workspace.runCode("python", "print(1)")).stdout).toBe("code: print(1)\n")
    const without = await ground.open(host, "root")
    await expect(without.runCode("python", "print(1)")).rejects.toMatchObject({
      kind: "invalid_args",
      expected: "javascript, typescript, bash",
    })
    const tar = await pack(ground.root, join(await ground.place(), "root.tar"))
    expect(Object.keys((await ground.hostWith({ tar, host: "host" })).can.languages)).toEqual(
      Object.keys(without.can.languages),
    )
  })
})

describe("an image that lacks something", () => {
  it("F10: keeps its own bash when it has one, and is lent the rest", async () => {
    const noTar = await makeSmallRoot(join(await ground.place(), "small"))
    await rm(join(noTar, "usr/bin/tar"))
    await writeFile(join(noTar, "etc/own"), "")
    const workspace = await ground.open(await ground.hostWith({ "no-tar": noTar }), "no-tar")
    await workspace.writeFile("file", "x")
    const { stdout } = await workspace.exec("[ -L /bin/bash ] || echo own; type -P tar; ls -A")
    expect(stdout).toBe("own\nfile\n")
    await workspace.copy("file", "tree/copy")
    expect(await workspace.readFile("tree/copy")).toBe("x")
  })

  it("F10: is refused with what it is when no program of it can run here, and leaves nothing", async () => {
    const empty = await ground.place()
    const foreign = await ground.place()
    await mkdir(join(foreign, "bin"))
    await writeFile(join(foreign, "bin/sh"), "\x7fELF of another processor", { mode: 0o755 })
    const directory = await ground.place()
    const host = bubblewrapHost({ directory, images: { empty, foreign } })
    for (const image of ["empty", "foreign"]) {
      await expect(host.create({ name: "test", image })).rejects.toMatchObject({
        kind: "invalid_args",
        message: `No sandbox can be created from the image "${image}": It has no /bin/sh that runs here.`,
        field: "image",
        expected: expect.stringContaining("a /bin/sh for this machine's processor"),
      })
    }
    expect((await readdir(directory)).filter((name) => name.startsWith("sandbox_"))).toEqual([])
  })

  it("F10: is refused with what it lacks where this machine has nothing to lend", async () => {
    const programs = await ground.place()
    for (const name of ["bwrap", "bash", "mkfifo"]) {
      const { stdout } = await execute("bash", ["-c", `type -P ${name}`])
      await symlink(stdout.trim(), join(programs, name))
    }
    const host = bubblewrapHost({
      directory: await ground.place(),
      path: programs,
      images: { root: ground.root },
    })
    await expect(host.create({ name: "test", image: "root" })).rejects.toMatchObject({
      kind: "invalid_args",
      message: expect.stringMatching(/^No sandbox .* execvp \/bin\/bash: No such file/),
    })
  })
})
