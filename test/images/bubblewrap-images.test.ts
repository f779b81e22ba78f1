import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import { bubblewrapHost, type Host } from "../../src/sandbox/index.ts"
import { sandboxLimits } from "../../src/sandbox/limits.ts"
import { type ImageGround, openImageGround } from "./image-ground.ts"
import { writeLayout, writeSaved } from "./oci-layout.ts"
import { rawTar } from "./raw-tar.ts"
import { makeSmallRoot, pack } from "./small-root.ts"

const execute = promisify(execFile)
let ground: ImageGround

beforeAll(async () => {
  ground = await openImageGround(makeSmallRoot)
}, 120_000)
afterAll(() => ground[Symbol.asyncDispose]())

async function print(source: string, command: string): Promise<string> {
  const workspace = await ground.open(await ground.hostWith({ small: source }), "small")
  const { stdout, stderr } = await workspace.exec(command)
  return stdout + stderr
}

const look = "cat /etc/image-name; ls /usr/bin | grep -c perl; type -P perl; echo $PATH"
const usualPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
const seen = `small\n0\n${usualPath}\n`

describe("images of the bubblewrap host", () => {
  it("a directory with a root file system is read-only inside, and stays as it is", async () => {
    const before = await readdir(ground.root, { recursive: true })
    const host = await ground.hostWith({ small: ground.root })
    const workspace = await ground.open(host, "small")
    expect((await workspace.exec(look)).stdout).toBe(seen)
    const write = await workspace.exec("touch /new /usr/new /etc/new /etc/image-name")
    expect(write.stderr.match(/(Read-only file system|Permission denied)\n/g)).toHaveLength(4)
    expect((await workspace.exec("id -un; cat /etc/hosts; echo x >/tmp/x; pwd")).stdout).toBe(
      "user\n127.0.0.1 localhost sandbox\n::1 localhost\n/home/user\n",
    )
    await workspace.writeFile("deep/er/file", "kept")
    expect(await workspace.readFile("deep/er/file")).toBe("kept")
    expect(await workspace.readdir("deep")).toEqual([{ name: "er", type: "directory" }])
    expect((await workspace.exec("cd deep && /run/toolkeep-bin/rg -l kept .")).stdout).toBe(
      "./er/file\n",
    )
    expect(await readdir(ground.root, { recursive: true })).toEqual(before)
  })

  it("a tar of a root file system is unpacked once, plain or packed with gzip or zstd", async () => {
    const files = await ground.place()
    const plain = await pack(ground.root, join(files, "plain.tar"))
    expect(await print(plain, look)).toBe(seen)
    expect(await print(await pack(ground.root, join(files, "small.tgz"), ["-z"]), look)).toBe(seen)
    const { zstdCompressSync } = await import("node:zlib")
    const packed = join(files, "small.tar.zst")
    await writeFile(packed, zstdCompressSync(await readFile(plain)))
    expect(await print(packed, look)).toBe(seen)
  })

  it("two that ask for the same image at once share it, and a changed file is another image", async () => {
    const file = await pack(ground.root, join(await ground.place(), "small.tar"))
    const directory = await ground.place()
    const hosts = [1, 2].map(() => bubblewrapHost({ directory, images: { small: file } }))
    const workspaces = await Promise.all(
      hosts.flatMap((host) => [ground.open(host, "small"), ground.open(host, "small")]),
    )
    for (const workspace of workspaces) {
      expect((await workspace.exec("cat /etc/image-name")).stdout).toBe("small\n")
    }
    expect(await readdir(join(directory, "images"))).toHaveLength(1)
    await utimes(file, 1, 1)
    await ground.open(hosts[0] as Host, "small")
    expect(await readdir(join(directory, "images"))).toHaveLength(2)
    const left = (await readdir(directory)).filter((name) => name.startsWith("sandbox_"))
    expect(left).toHaveLength(workspaces.length + 1)
  })

  it("layers are applied in order, and what a layer takes away is gone", async () => {
    const files = await ground.place()
    const lower = join(files, "lower")
    await mkdir(join(lower, "data/opaque/deep"), { recursive: true })
    for (const name of ["kept", "removed", "replaced", "opaque/old", "opaque/deep/old"]) {
      await writeFile(join(lower, "data", name), "old")
    }
    await mkdir(join(lower, "data/tree"))
    await symlink("kept", join(lower, "data/link"))
    await chmod(join(lower, "data"), 0o555)
    const upper = join(files, "upper")
    await mkdir(join(upper, "data/opaque"), { recursive: true })
    for (const name of [".wh.removed", ".wh.tree", ".wh.link", "opaque/.wh..wh..opq"]) {
      await writeFile(join(upper, "data", name), "")
    }
    for (const name of ["replaced", "added", "opaque/new"]) {
      await writeFile(join(upper, "data", name), "new")
    }
    const layers = [
      await pack(ground.root, join(files, "0.tar")),
      await pack(lower, join(files, "1.tgz"), ["-z"]),
      await pack(upper, join(files, "2.tar")),
    ]

    const show = "cd /data; for f in $(find . -type f) link; do echo $f $(cat $f 2>&1); done; ls -A"

    const expected = [
      ...["./added new", "./kept old", "./opaque/new new", "./replaced new"],
      ...["link cat: link: No such file or directory", "added", "kept", "opaque", "replaced"],
    ].sort()
    const layout = await writeLayout(join(files, "layout"), layers, ["PATH=/special:/bin"])
    const saved = await writeSaved(join(files, "saved"), layers)
    const sources = [
      layout,
      await pack(layout, join(files, "layout.tar")),
      await pack(saved, join(files, "saved.tgz"), ["-z"]),
    ]
    for (const source of sources) {
      const printed = await print(source, `${show}; echo $PATH`)
      const lines = printed.trimEnd().split("\n")
      expect(lines.pop()).toBe(source.includes("saved") ? usualPath : "/special:/bin")
      expect(lines.sort()).toEqual(expected)
    }
  }, 120_000)

  it("the names are listed, the default first, and another one is refused with them", async () => {
    const host = await ground.hostWith({ small: ground.root })
    expect(await host.images()).toEqual(["host", "small"])
    expect((await (await ground.open(host)).exec("type -P perl")).stdout).toBe("/usr/bin/perl\n")
    await expect(host.create({ name: "test", image: "alpine" })).rejects.toMatchObject({
      kind: "invalid_args",
      message:
        'There is no image "alpine" here. Provide it in toolkeep.yaml, such as images: { "alpine": ./image.tar }, with a tar that docker save wrote.',
      field: "image",
      expected: 'one of "host", "small"',
    })
    const other = await ground.hostWith({ small: ground.root, host: "host" })
    expect(await other.images()).toEqual(["small", "host"])
    expect((await (await ground.open(other)).exec("type -P perl")).stdout).toBe("")
  })

  it("a file that is not there, or that is no archive, says so", async () => {
    const text = join(await ground.place(), "text.tar")
    await writeFile(text, "no archive".repeat(1000))
    const cut = join(await ground.place(), "cut.tgz")
    const whole = await pack(ground.root, join(await ground.place(), "small.tgz"), ["-z"])
    await writeFile(cut, readFileSync(whole).subarray(0, 1_000_000))
    const host = await ground.hostWith({ missing: join(ground.base, "nowhere.tar"), text, cut })
    for (const [image, message] of [
      ["missing", "There is no such file."],
      ["text", "It can't be unpacked: tar: This does not look like a tar archive."],
      ["cut", "unexpected end of file"],
    ] as const) {
      const refused = host.create({ name: "test", image })
      await expect(refused).rejects.toThrow(message)
    }
  })
})

describe("hostile images", () => {
  it("O30: an archive with paths, links and layers that lead out writes nothing outside", async () => {
    const canary = join(ground.base, "canary")
    await writeFile(canary, "untouched")
    await chmod(canary, 0o666)
    const outside = `${ground.base}/planted`
    const files = await ground.place()
    const first = join(files, "first.tar")
    await writeFile(
      first,
      rawTar([
        { name: `../../../../../..${outside}`, content: "x" },
        { name: outside, content: "x" },
        { name: "way", type: "2", link: ground.base },
        { name: "way/planted", content: "x" },
        { name: "hard", type: "1", link: canary },
        { name: "etc/passwd", type: "2", link: canary },
        { name: "run", type: "2", link: ground.base },
        { name: "home", type: "2", link: ground.base },
        { name: "dev", type: "2", link: ground.base },
      ]),
    )
    const second = join(files, "second.tar")
    const through = { name: "way/planted", content: "x" }
    await writeFile(second, rawTar([through, { name: "way/canary", content: "x" }]))
    const third = join(files, "third.tar")
    await writeFile(third, rawTar([{ name: "way/.wh.canary", content: "" }]))
    const small = await pack(ground.root, join(files, "small.tar"))
    const images: Record<string, string> = {}
    for (const [name, layers] of Object.entries({
      once: [small, first],
      twice: [small, first, second],
      gone: [small, first, third],
    })) {
      images[name] = await writeLayout(join(files, name), layers)
    }
    images.plain = first
    images.linked = join(files, "linked.tar")
    const linked = join(files, "linked")
    await execute("cp", ["-a", ground.root, linked])
    for (const name of ["run", "home", "dev", "tmp", "proc", "sys", "etc/passwd", "way"]) {
      await symlink(ground.base, join(linked, name))
    }
    await pack(linked, images.linked)
    const host = await ground.hostWith(images)
    const opened: string[] = []
    for (const name of Object.keys(images)) {
      const made = await ground.open(host, name).catch((error: unknown) => error)
      if (made && typeof made === "object" && "exec" in made) {
        opened.push(name)
        const { exec } = made as Workspace
        await exec("echo x >/home/user/planted; echo x >/tmp/planted; echo x >/run/planted")
        const { stdout } = await exec(`cat ${canary} /hard /way/canary /etc/passwd 2>/dev/null`)
        expect(stdout).not.toContain("untouched")
      }
      expect(await readFile(canary, "utf8")).toBe("untouched")
      expect((await readdir(ground.base)).filter((entry) => entry === "planted")).toEqual([])
    }
    expect(opened).toContain("linked")
  }, 120_000)

  it("O30, F18: an image whose shell never answers is refused after a time", async () => {
    const tree = join(await ground.place(), "tree")
    await execute("cp", ["-a", ground.root, tree])
    await execute("mv", [join(tree, "usr/bin/bash"), join(tree, "usr/bin/real")])
    for (const name of ["bash", "sh"]) {
      const script = "#!/usr/bin/real\nwhile :; do sleep 1000; done\n"
      await writeFile(join(tree, "usr/bin", name), script, { mode: 0o755 })
    }
    // Nobody waits for a minute here.
    const after: Clock["after"] = (milliseconds, ...rest) =>
      systemClock.after(milliseconds === sandboxLimits.readyMs ? 500 : milliseconds, ...rest)
    const clock = { ...systemClock, after }
    const host = bubblewrapHost({ directory: await ground.place(), images: { mute: tree }, clock })
    await expect(host.create({ name: "test", image: "mute" })).rejects.toMatchObject({
      kind: "invalid_args",
      message: expect.stringContaining("Its shell does not answer."),
    })
  })

  it("O30: devices, pipes and bits that change the user are not in an unpacked image", async () => {
    const files = await ground.place()
    const tree = join(files, "tree")
    await execute("cp", ["-a", ground.root, tree])
    await execute("mkfifo", [join(tree, "pipe")])
    await mkdir(join(tree, "dev"))
    await writeFile(join(tree, "dev/null"), "not a device")
    await chmod(join(tree, "usr/bin/cat"), 0o6755)
    await chmod(join(tree, "etc/image-name"), 0o600)
    const file = await pack(tree, join(files, "small.tar"))
    const directory = await ground.place()
    const workspace = await ground.open(
      bubblewrapHost({ directory, images: { small: file } }),
      "small",
    )
    const { stdout } = await workspace.exec("cat /etc/image-name; stat -c %F /pipe /dev/null 2>&1")
    expect(stdout).toMatch(/^small\n.*cannot stat.*\ncharacter special file\n$/)
    const [key = ""] = await readdir(join(directory, "images"))
    const unpacked = join(directory, "images", key, "root")
    expect((await stat(join(unpacked, "usr/bin/cat"))).mode & 0o7777).toBe(0o755)
    const device = join(files, "device.tar")
    await writeFile(device, rawTar([{ name: "disk", type: "4" }]))
    const refused = await ground.hostWith({ device })
    await expect(refused.create({ name: "test", image: "device" })).rejects.toMatchObject({
      message: expect.stringContaining("Cannot mknod: Operation not permitted"),
    })
  })
})
