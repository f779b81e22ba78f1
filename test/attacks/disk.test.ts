import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type AttackGround, openMcpFixture } from "./attack-ground.ts"
import { attackDisk, type diskAttacks, unprivileged } from "./disk-attacks.ts"

let ground: AttackGround
beforeEach(async () => {
  ground = await openMcpFixture()
})
afterEach(() => ground[Symbol.asyncDispose]())

const mebibyte = 1024 ** 2
const diskBytes = 20 * mebibyte

async function open() {
  const sandbox = await ground.host.create({ name: "limited", limits: { diskBytes } })
  onTestFinished(() => sandbox.destroy())
  return createWorkspace(sandbox)
}

type Opened = Awaited<ReturnType<typeof open>>

/** What the home's files take, in bytes. */
async function used(workspace: Opened): Promise<number> {
  const { stdout } = await workspace.exec("du -sx -B1 .")
  return Number.parseInt(stdout, 10)
}

const ended = {
  kind: "execution_error",
  message:
    "The sandbox's files take more than the 20 MiB that they may. What ran in the sandbox was ended, and nothing can be written until files are removed.",
}

/** How far a writer that takes a little at a time may come before it is noticed, on a busy machine. */
const slack = 60 * mebibyte

/** So slowly that they are noticed in time on a busy machine too. */
const manyFiles = `perl -e 'for ($i = 0; $i < 4000; $i++) { open F, ">", "f$i"; print F "x" x 50000; close F;
  select undef, undef, undef, 0.01 }'; sleep 30`

/** How each attack of the list has to be answered. */
const full = "take more than the 20 MiB|takes more than the 20 MiB"
const expected: Readonly<Record<keyof typeof diskAttacks, RegExp>> = {
  "files that are removed while they are open": new RegExp(full),
  "files that are removed while they are mapped": new RegExp(full),
  "files that are removed and held by a thread whose process has no first thread any more":
    new RegExp(full),
  "files that are removed on their way through a socket": new RegExp(full),
  "files that are removed and held by a process that becomes another all the time": new RegExp(
    full,
  ),
  "a home that grows by filling holes once it is full":
    /^(.*\n){2}.*runs no commands until files are removed with file\.remove\.\non$/,
  "space that is taken at once, without writing": /^refused\nrefused\nrefused\nrefused\nfreed$/,
  "temporary files that a full home is given by a move":
    /^.*20 MiB.*\n("\/tmp\/f\d" does not fit: no space is left\.\n?){6}$/,
  "a link from temporary files back to a full home": /^.*20 MiB.*\n(".*" does not fit: .*\n?){5}$/,
  "temporary files that become a file of this machine when it sleeps":
    /^asleep\n15728642\nx\n(The sandbox can't go to sleep: .*\n){2}4\nasleep$/,
  "snapshot after snapshot, each of files that the next does not have":
    /MiB of them in snapshots.*\n(.*\n)*again$/,
}

describe("taking more of the disk than its limit", () => {
  for (const [attack, answer] of Object.entries(expected)) {
    it(`O30: ${attack}`, async () => {
      expect(await attackDisk(ground.host, attack)).toMatch(answer)
    }, 120_000)
  }

  it("O30: the same from the sandbox of an ordinary user", async () => {
    const user = process.getuid?.() || 54_321
    const directory = openOwnDisk(user)
    const child = new URL("unprivileged-disk.ts", import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, [child, directory, String(user)])
    const answers = JSON.parse(stdout) as Record<string, string>
    expect(Object.keys(answers)).toHaveLength(unprivileged.length)
    for (const [attack, answer] of Object.entries(answers)) {
      expect(answer, attack).toMatch(expected[attack] ?? /never/)
    }
  }, 300_000)
})

/**
 * What is gone from the disk tells of hidden files, where nobody may look at them. On a disk of its own, nothing that other
 * tests remove at the same time hides them.
 */
function openOwnDisk(user: number): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-disk-"))
  const options = `size=1g,mode=755,uid=${user},gid=${user}`
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory])
  onTestFinished(() => {
    if (isRoot) execFileSync("umount", ["-l", directory])
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

describe("filling the disk", () => {
  it("O30: a writer of many files is ended near the limit, and the sandbox works again when they are gone", async () => {
    const workspace = await open()
    expect(workspace.can.limits.diskBytes).toBe(diskBytes)
    const neighbour = ground.workspace.exec("sleep 4; echo untouched")
    await expect(workspace.exec(manyFiles, { timeoutMs: 60_000 })).rejects.toMatchObject(ended)
    expect(await used(workspace)).toBeLessThan(diskBytes + slack)
    await expect(workspace.writeFile("more", "x")).rejects.toMatchObject({ code: "no-space" })
    await expect(workspace.mkdir("more")).rejects.toMatchObject({ code: "no-space" })
    await expect(workspace.writeFile("/tmp/more", "x")).rejects.toMatchObject({ code: "no-space" })
    expect(await workspace.readFile("f0")).toHaveLength(50_000)
    const denied = await workspace.exec("echo x >more; echo $?; cat more")
    expect(denied.stdout).not.toContain("x")
    expect(await workspace.exec("rm f*; echo removed")).toMatchObject({ stdout: "removed\n" })
    await workspace.writeFile("more", "fits")
    expect((await workspace.exec("echo on >>more; cat more")).stdout).toBe("fitson\n")
    expect((await neighbour).stdout).toBe("untouched\n")
  }, 120_000)

  it("O30: one large file is stopped at the limit by the system itself", async () => {
    const workspace = await open()
    const outcome = await workspace
      .exec("head -c 100M /dev/zero >large; echo $?")
      .catch((error: unknown) => error)
    // On a busy machine the sandbox may be found full before the command has said so.
    const said = outcome instanceof Error ? outcome.message : JSON.stringify(outcome)
    expect(said).toMatch(/File (size limit|too large)|more than the 20 MiB/)
    // Where it was found full, what asks meanwhile is ended as well.
    const size = () => workspace.stat("large").then((stat) => stat.size, String)
    await expect.poll(size).toBe(diskBytes)
    const goesOn = async () => {
      await workspace.remove("large").catch(() => {})
      return (await workspace.exec("sleep 0.5; echo on")).stdout
    }
    await expect.poll(() => goesOn().catch(String)).toBe("on\n")
  })

  it("O30: what a command has left running is ended as well", async () => {
    const workspace = await open()
    await workspace.writeFile("/tmp/fill", manyFiles)
    await workspace.exec("(setsid bash /tmp/fill >/dev/null 2>&1 &)")
    const isFull = () =>
      workspace.writeFile("probe", "").then(
        () => false,
        () => true,
      )
    await expect.poll(isFull, { interval: 2_500 }).toBe(true)
    const running = () => workspace.exec("cat /proc/[0-9]*/comm")
    await expect.poll(async () => (await running()).stdout).not.toMatch(/perl/)
    expect(await used(workspace)).toBeLessThan(diskBytes + slack)
    await workspace.exec("rm f*")
    await workspace.writeFile("probe", "fits")
  }, 120_000)

  it("O30: files of one with several names, closed directories and holes count for what they take", async () => {
    const workspace = await open()
    const made =
      await workspace.exec(`head -c 8M /dev/zero >file; for i in 1 2 3 4 5; do ln file link$i; done
      truncate -s 15M hole; mkdir closed; chmod 000 closed; sleep 0.6; echo made`)
    expect(made.stdout).toBe("made\n")
    const over = workspace.exec(`chmod 700 closed; head -c 14M /dev/zero >closed/file
      chmod 000 closed; sleep 20`)
    await expect(over).rejects.toMatchObject(ended)
  }, 120_000)
})
