import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type AttackGround, openGround } from "./attack-ground.ts"

let ground: AttackGround
beforeAll(async () => {
  ground = await openGround()
})
afterAll(() => ground[Symbol.asyncDispose]())

const code = (error: unknown) =>
  error instanceof Error && "code" in error ? error.code : String(error)

describe("reading and writing files of the host", () => {
  it("C18: reads the host's file through a symbolic link, by command and by file operation", async () => {
    const { workspace, canary, print, secret } = ground
    await print(`ln -sfn ${canary} link; ln -sfn ${dirname(canary)} up`)
    expect(await print("cat link up/canary")).not.toContain(secret)
    expect(await workspace.readFile("link").catch(code)).toBe("not-found")
    expect(await workspace.readFile("up/canary").catch(code)).toBe("not-found")
    expect(await workspace.exists("up/canary")).toBe(false)
    expect(await workspace.readdir("up").catch(code)).toBe("not-found")
  })

  it("C18: writes the host's file through a symbolic link, whole and by appending", async () => {
    const { workspace, canary, print, canaryContent, secret } = ground
    await print(`ln -sfn ${canary} out; ln -sfn ${dirname(canary)} outside`)
    const tries = ["out", "outside/canary", canary].flatMap((path) =>
      [false, true].map((append) => workspace.writeFile(path, "owned", { append }).catch(code)),
    )
    await Promise.all(tries)
    await print("echo owned >out; echo owned >>outside/canary")
    expect(canaryContent()).toBe(secret)
  })

  it("C18: climbs out with .. and with absolute paths", async () => {
    const { workspace, canary, print, secret } = ground
    const path = `${"../".repeat(40)}${canary.slice(1)}`
    expect(await workspace.readFile(path).catch(code)).not.toContain(secret)
    expect(await print(`cat ${path} ${canary}`)).not.toContain(secret)
  })

  it("C18: reaches the host's root through /proc of every process inside", async () => {
    const { canary, print, secret } = ground
    const doors = ["root", "cwd", "fd/0/..", "fd/1/..", "task/*/root", "map_files/.."]
    const paths = doors.map((door) => `/proc/*/${door}${canary}`).join(" ")
    const climbs = "/proc/*/cwd/../../../../../../.."
    const printed = await print(`cat ${paths} ${climbs}${canary} /proc/*/fd/*${canary}; echo done`)
    expect(printed).toContain("done")
    expect(printed).not.toContain(secret)
  })

  it("C18: hard-links files of the host's system into its home", async () => {
    const { print } = ground
    const printed = await print("ln /usr/bin/env stolen; ln /etc/passwd stolen; ls stolen")
    expect(printed.match(/Invalid cross-device link/g)).toHaveLength(2)
  })

  it("C18: swaps a directory for a link to the host while files in it are read and written", async () => {
    const { workspace, canary, canaryContent, secret } = ground
    const swap = `end=$((SECONDS + 2)); while ((SECONDS < end)); do
      mkdir race; echo inside >race/canary; rm -r race; ln -s ${dirname(canary)} race; rm race; done`
    const swapping = workspace.exec(swap, { timeoutMs: 10_000 })
    let isSwapping = true
    const over = swapping.finally(() => {
      isSwapping = false
    })
    const seen = new Set<string>()
    while (isSwapping) {
      const [content] = await Promise.all([
        workspace.readFile("race/canary").catch(() => ""),
        workspace.writeFile("race/canary", "owned").catch(() => {}),
        workspace.writeFile("race/canary", "owned", { append: true }).catch(() => {}),
      ])
      seen.add(content)
    }
    await over
    expect([...seen].join("")).not.toContain(secret)
    expect(canaryContent()).toBe(secret)
  })

  it("C18: looks into the host's homes, secrets, state and control files", async () => {
    const { print } = ground
    const paths = ["/root", "/home/*", "/var", "/srv", "/mnt", "/boot", "/sys", "/etc/shadow"]
    const listed = await print(`ls -d ${paths.join(" ")} /etc/ssh /run/* 2>/dev/null`)
    expect(listed.trim().split("\n")).toEqual(["/home/user", "/run/toolkeep", "/run/toolkeep-bin"])
  })

  it("C18: finds the home of another sandbox by its path on the host", async () => {
    const { pool, workspace, print } = ground
    const other = await pool.workspace("neighbour")
    await other.writeFile("diary", "private words")
    const mounts = await other.readFile("/proc/self/mountinfo")
    const home = /(\/\S*sandbox_\w+\/home) \/home\/user/.exec(mounts)?.[1] ?? ""
    expect(home).toMatch(/home$/)
    const { stdout } = await workspace.exec(["bash", "-c", `cat /*${home}/diary ${home}/diary`])
    expect(stdout + (await print("grep -rs 'private words' /home /tmp; true"))).toBe("")
  })

  it("C18: lets other users of the host look into its home or at its commands", async () => {
    const { directory, workspace } = ground
    const mounts = await workspace.readFile("/proc/self/mountinfo")
    const [, id = ""] = /(sandbox_\w+)\/home \/home\/user/.exec(mounts) ?? []
    const mode = (name: string) => statSync(join(directory, "sandboxes", id, name)).mode & 0o777
    expect(mode("home")).toBe(0o700)
    expect(mode("exchange") & 0o007).toBe(0)
  })

  it("C18: writes into the system's files and over the programs that others run", async () => {
    const { print } = ground
    const places = ["/usr/bin", "/usr/local/bin", "/etc", "/", "/opt", "/run", "/dev", "/lib"]
    const printed = await print(`for d in ${places.join(" ")}; do touch $d/planted; done
      echo x >/etc/passwd; echo x >/etc/ld.so.cache; echo x >/usr/bin/env; echo x >/run/toolkeep-bin/rg
      ls -d ${places.map((place) => `${place}/planted`).join(" ")} 2>/dev/null`)
    const refused = printed.match(/Read-only file system|Permission denied/g) ?? []
    expect(refused).toHaveLength(places.length + 4)
    expect(printed).not.toMatch(/^\S*\/planted$/m)
  })

  it("C18: makes a device of the host's disk or memory, and opens those there are", async () => {
    const { print } = ground
    const printed = await print(`mknod disk b 254 0; mknod memory c 1 1; mknod fuse c 10 229
      for f in /dev/mem /dev/kmem /dev/kvm /dev/fuse /dev/vda /dev/sda /dev/net/tun /dev/core \
        /proc/kcore /proc/kmsg; do head -c 1 $f >/dev/null && echo "opened $f"; done; ls disk memory fuse`)
    expect(printed).not.toContain("opened")
    expect(printed.match(/Operation not permitted/g)?.length).toBeGreaterThanOrEqual(3)
  })

  it("C18: plants pipes, sockets and devices where the host reads and writes files", async () => {
    const { workspace, print } = ground
    await print(`mkfifo pipe; ln -sfn /dev/zero zero; ln -sfn /proc/self/fd/0 self; ln -sfn loop loop
      perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1)'`)
    const paths = ["pipe", "zero", "socket", "/dev/urandom", "/dev/tty", "/dev/full"]
    const reads = paths.map((path) => workspace.readFile(path).catch(code))
    expect(await Promise.all(reads)).toEqual(paths.map(() => "not-file"))
    const writes = paths.map((path) => workspace.writeFile(path, "x").catch(code))
    expect(await Promise.all(writes)).toEqual(paths.map(() => "not-file"))
    expect(await workspace.readFile("loop").catch(code)).toBe("link-loop")
  })

  it("C18: hands the host a file without end to read into its memory", async () => {
    const { workspace, print } = ground
    await print("truncate -s 9G endless")
    expect(await workspace.readFileBuffer("endless").catch(code)).toBe("failed")
    const end = await workspace.readFileBuffer("endless", { offset: 2 ** 33, length: 3 })
    expect([...end]).toEqual([0, 0, 0])
  })
})

describe("files that outlive their sandbox", () => {
  it("C18: leaves directories too deep, too closed and too oddly named to be removed", async () => {
    await using own = await openGround()
    const printed = await own.print(`perl -e '$n = "d" x 200;
      for (1 .. 2000) { mkdir $n or die $!; chdir $n or die $!; } print "deep"'
      mkdir -p closed/more; touch closed/more/file "$(printf 'a\\377\\nb')" "$(printf %0255d 1)"
      chmod 000 closed/more closed`)
    expect(printed).toBe("deep")
    expect((await own.workspace.readdir(".")).length).toBe(4)
    await own.pool.destroy()
    const left = await import("node:fs/promises").then((fs) =>
      fs.readdir(join(own.directory, "sandboxes")),
    )
    expect(left).toEqual(["shared"])
  })
})
