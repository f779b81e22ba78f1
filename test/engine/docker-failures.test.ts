import { copyFile, mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { runConformance } from "../../src/testing/index.ts"
import { makeBusyboxRoot } from "../images/busybox-root.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"
import { emptyImage, importDirectory, testBinds, testImage } from "./import-images.ts"
import { startEngine } from "./start-engine.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

describe("a container that can't be", () => {
  it("Y16, X5.sentence: an image that the engine lacks is refused with those it has, and how to pull it", async () => {
    const refused = docker.host({ image: "python:3.12" }).create({ name: "test" })
    await expect(refused).rejects.toMatchObject({
      kind: "invalid_args",
      message:
        'The container engine has no image "python:3.12", and none is pulled: run "docker pull python:3.12" first.',
      field: "image",
      expected: `one of: ${emptyImage}, ${testImage}`,
    })
  })

  it("Y16: an image without any shell says so; one that lacks the agent's programs is lent them", async () => {
    const noShell = docker.host({ image: emptyImage, binds: [] })
    await expect(noShell.create({ name: "test" })).rejects.toMatchObject({
      kind: "invalid_args",
      message: `No sandbox can be created from the image "${emptyImage}": It has no /bin/sh that runs here.`,
      field: "image",
      expected: expect.stringContaining("an image with a /bin/sh"),
    })
    expect(await noShell.probe()).toMatchObject({ kind: "unavailable" })
    const programs = join(docker.directory, "programs")
    await mkdir(programs)
    await copyFile("/bin/bash", join(programs, "bash"))
    onTestFinished(() => rm(programs, { recursive: true }))
    const onlyShell = docker.host({ binds: [...testBinds, `${programs}:/usr/bin:ro`] })
    const sandbox = await onlyShell.create({ name: "test" })
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("deep/file", "written")
    expect(await workspace.readFile("deep/file")).toBe("written")
    expect((await workspace.exec("type -P bash cat")).stdout).toBe("/usr/bin/bash\n")
    await sandbox.destroy()
    expect(await docker.countContainers()).toBe(0)
  })

  it("Y16: an engine that is not there is unavailable, with where it was looked for", async () => {
    const host = docker.host({ socketPath: "/tmp/toolkeep-nowhere.sock" })
    await expect(host.create({ name: "test" })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("does not answer at /tmp/toolkeep-nowhere.sock"),
    })
    expect(await docker.host().probe()).toEqual({
      kind: "ready",
      detail: expect.stringMatching(/^Docker [\d.+\w-]+ at /),
    })
  })
})

describe("an image without bash, GNU's programs and their C library", () => {
  it("Y16: is lent what the agent needs, and commands see its own programs", async () => {
    const root = await makeBusyboxRoot(join(docker.directory, "busybox"))
    onTestFinished(() => rm(root, { recursive: true }))
    const image = "toolkeep-busybox:latest"
    await importDirectory(docker.engine.docker, root, image)
    onTestFinished(() => docker.engine.docker.getImage(image).remove())
    const sandbox = await docker.host({ image, binds: [] }).create({ name: "test" })
    onTestFinished(() => sandbox.destroy())
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("deep/file", "written")
    await workspace.copy("deep", "copied")
    const { stdout } = await workspace.exec(
      `cat copied/file; echo; type -P bash tar; x=é; bash -c 'echo \${#0}' "$x"; env`,
    )
    expect(stdout).toMatch(/^written\n\/bin\/bash\n\/bin\/tar\n1\n/)
    expect(stdout).not.toContain("/run/")
    await sandbox.sleep()
    expect(await workspace.readdir("copied")).toEqual([{ name: "file", type: "file" }])
    const { checks } = await runConformance(docker.host({ image, binds: [] }), {
      only: ["process-groups.setsid", "commands.script"],
    })
    expect(checks.filter(({ kept }) => kept === false)).toEqual([])
  }, 120_000)
})

describe("the engine's images", () => {
  it("C7.image, X5.used: are listed with the default first, and each can be what a sandbox is made of", async () => {
    const host = docker.host({ image: emptyImage })
    expect(await host.images()).toEqual([emptyImage, testImage])
    const sandbox = await host.create({ name: "test", image: testImage })
    onTestFinished(() => sandbox.destroy())
    expect(sandbox.image).toBe(testImage)
    expect((await createWorkspace(sandbox).exec("echo made")).stdout).toBe("made\n")
  })

  it("are the only ones: any other name is refused with theirs", async () => {
    for (const image of [
      "alpine",
      "not a name",
      "",
      "/",
      "//host",
      "a//b",
      "../../v1.41/info",
      "a?b#c",
      "%2e%2e",
    ]) {
      await expect(docker.host().create({ name: "test", image })).rejects.toMatchObject({
        kind: "invalid_args",
        message: `The container engine has no image ${JSON.stringify(image)}, and none is pulled${
          image === "alpine" ? ': run "docker pull alpine" first' : ""
        }.`,
        expected: `one of: ${emptyImage}, ${testImage}`,
      })
    }
  })
})

describe("an engine that dies", () => {
  it("F21, Y16: a running command still ends as it would have, and the sandbox goes with its engine away", async () => {
    await using mortal = await startEngine()
    const { socketPath } = mortal
    const host = docker.host({ socketPath })
    const sandbox = await host.create({ name: "test" })
    const doomed = await host.create({ name: "doomed" })
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("kept", "still here")
    const running = workspace.exec("sleep 1; echo done; exit 3")
    await mortal.kill()
    expect(await running).toMatchObject({ exitCode: 3, stdout: "done\n" })
    await doomed.destroy()
    await expect(host.create({ name: "another" })).rejects.toMatchObject({ kind: "unavailable" })

    const cut = workspace.exec("sleep 60")
    const outcome = expect(cut).rejects.toMatchObject({ kind: "unavailable" })
    await mortal.restart()
    await outcome
    expect(await workspace.readFile("kept")).toBe("still here")
    // The other one is removed once the engine is there to do it.
    const containers = () => mortal.docker.listContainers({ all: true })
    await expect.poll(containers).toHaveLength(1)
    await sandbox.destroy()
    expect(await containers()).toEqual([])
    const left = await readdir(docker.directory)
    expect(left.filter((name) => name.startsWith("sandbox_"))).toEqual([])
  }, 120_000)
})
