import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AttackGround, codeOf as code, type OpenGround } from "./attack-ground.ts"

/** Ways to the host's files through the system: on every host with real processes. */
export function attackFiles(open: OpenGround): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

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

  it("C18: looks into the host's homes, secrets, state and control files", async () => {
    const { print } = ground
    const paths = ["/root", "/home/*", "/srv", "/mnt", "/boot", "/etc/shadow", "/etc/ssh", "/run/*"]
    const listed = await print(`ls -d ${paths.join(" ")} 2>/dev/null`)
    expect(listed.trim().split("\n")).toEqual(["/home/user", "/run/toolkeep", "/run/toolkeep-bin"])
    // Where an image has these, there is no file in the one and nothing to write in the other.
    expect(await print("find /var -not -type d 2>/dev/null; find /sys -writable 2>/dev/null")).toBe(
      "",
    )
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
    const files = ["/etc/passwd", "/etc/ld.so.cache", "/usr/bin/env", "/run/toolkeep-bin/rg"]
    const planted = places.map((place) => `${place}/planted`)
    const printed = await print(`sum() { sha256sum ${files.join(" ")} 2>/dev/null; }; before=$(sum)
      for f in ${[...planted, ...files].join(" ")}; do { echo x >>$f; } 2>/dev/null && echo "wrote $f"; done
      ls -d ${planted.join(" ")} 2>/dev/null; [[ $(sum) == "$before" && $before == */env* ]] && echo same`)
    expect(printed).toBe("same\n")
    expect(planted.filter((path) => existsSync(path))).toEqual([])
  })

  it("C18: makes a device of the host's disk or memory, and opens those there are", async () => {
    const { print } = ground
    const printed = await print(`mknod disk b 254 0; mknod memory c 1 1; mknod fuse c 10 229
      for f in /dev/mem /dev/kmem /dev/kvm /dev/fuse /dev/vda /dev/sda /dev/net/tun /dev/core \
        /proc/kcore /proc/kmsg; do
        # Some engines put the null device over them.
        if [[ ! $f -ef /dev/null ]] && head -c 1 $f >/dev/null; then echo "opened $f"; fi; done; ls disk memory fuse`)
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

  it("C18: leaves directories too deep, too closed and too oddly named to be removed", async () => {
    await using own = await open()
    const printed = await own.print(`perl -e '$n = "d" x 200;
      for (1 .. 2000) { mkdir $n or die $!; chdir $n or die $!; } print "deep"'
      mkdir -p closed/more; touch closed/more/file "$(printf 'a\\377\\nb')" "$(printf %0255d 1)"
      chmod 000 closed/more closed`)
    expect(printed).toBe("deep")
    expect((await own.workspace.readdir(".")).length).toBe(4)
    await own.pool.destroy()
    expect(readdirSync(join(own.directory, "sandboxes"))).toEqual(["shared"])
  })
}
