import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type BubblewrapHostOptions,
  bubblewrapHost,
  createWorkspace,
  type Host,
  type Sandbox,
} from "../../src/sandbox/index.ts"
import { sandboxLimits } from "../../src/sandbox/limits.ts"
import { type AttackGround, openGroundOn } from "./attack-ground.ts"

/** Every sandbox is made of a snapshot of another, which lives on beside it as the same user. */
function forkingHost(options: BubblewrapHostOptions): Host {
  const host = bubblewrapHost(options)
  return {
    ...host,
    can: host.can,
    async create(spec) {
      sibling = await host.create({ name: "sibling" })
      await createWorkspace(sibling).exec(
        "echo sibling >whose; echo low >file; mkdir dir; echo x >dir/x",
      )
      snapshot = await sibling.snapshot()
      await createWorkspace(sibling).exec("echo private >private; (sleep 1000 &)")
      return host.create({ ...spec, from: snapshot })
    },
  }
}

let sibling: Sandbox
let snapshot: string
let ground: AttackGround
beforeAll(async () => {
  ground = await openGroundOn(forkingHost)
})
afterAll(async () => {
  await sibling.destroy()
  await ground[Symbol.asyncDispose]()
})

/** The snapshot's own files, outside. */
const layer = () => {
  const layers = join(ground.directory, "sandboxes", "layers")
  return join(layers, readdirSync(layers)[0] ?? "")
}

describe("from a sandbox made of a snapshot", () => {
  it("C18: uses capabilities, new privileges or system calls that the wall takes away", async () => {
    const status = await ground.print(
      "id -u; grep -E '^(Cap...|NoNewPrivs|Seccomp):' /proc/self/status",
    )
    const none = "0".repeat(16)
    const sets = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t${none}\n`).join("")
    expect(status).toBe(`1000\n${sets}NoNewPrivs:\t1\nSeccomp:\t2\n`)
    const tried = [
      "unshare -U true",
      "unshare -m true",
      "mount -t tmpfs x /tmp",
      "umount /home/user",
    ]
    const printed = await ground.print(
      tried.map((attempt) => `${attempt} && echo worked`).join("; "),
    )
    expect(printed).not.toContain("worked")
  })

  it("O30: reads or changes files of this machine, of the layers and of the other sandboxes", async () => {
    const paths = [ground.canary, layer(), join(ground.directory, "sandboxes")]
    const printed = await ground.print(
      paths
        .map((path) => `cat ${path} /proc/*/root${path}; echo bad >${path}; ls ${path}`)
        .join("; "),
    )
    expect(printed).not.toContain(ground.secret)
    expect(ground.canaryContent()).toBe(ground.secret)
    expect(
      await ground.print("ls /home /home/user/private /run /proc/1/root/home 2>&1"),
    ).not.toMatch(/sandbox_|layers|snapshots/)
  })

  it("O30: changes the snapshot that it is made of", async () => {
    await ground.print(
      "echo bad >file; chmod 777 dir; rm dir/x; mv dir moved; ln file twin; echo worse >>twin; truncate -s 0 whose; touch -d 2001-01-01 .",
    )
    expect(readFileSync(join(layer(), "file"), "utf8")).toBe("low\n")
    expect(readFileSync(join(layer(), "whose"), "utf8")).toBe("sibling\n")
    expect(readdirSync(join(layer(), "dir"))).toEqual(["x"])
    const { stdout } = await createWorkspace(sibling).exec("cat file whose private; ls dir")
    expect(stdout).toBe("low\nsibling\nprivate\nx\n")
  })

  it("O30: leads the next fork outside by a link or by the kernel's own marks on a directory", async () => {
    const host = bubblewrapHost({ directory: join(ground.directory, "sandboxes") })
    for (const from of [snapshot, undefined]) {
      const evil = await host.create({ name: "evil", from })
      await createWorkspace(evil).exec(
        `ln -s / root; ln -s ${ground.canary} canary; mkdir mark; echo own >mark/own
         for name in redirect opaque metacopy whiteout; do for space in user trusted; do
           python3 -c "import os, sys; os.setxattr('mark', sys.argv[1], b'/../../..')" $space.overlay.$name
         done; done; mknod white c 0 0; true`,
      )
      const next = await evil.snapshot()
      const victim = await host.create({ name: "victim", from: next })
      const workspace = createWorkspace(victim)
      expect((await workspace.exec("ls -A mark; ls -d root/* | wc -l; cat canary")).stdout).toBe(
        (await createWorkspace(evil).exec("ls -A mark; ls -d /* | wc -l; cat canary")).stdout,
      )
      await expect(workspace.readFile("canary")).rejects.toThrow()
      await Promise.all([evil.destroy(), victim.destroy()])
      await host.removeSnapshot(next)
    }
  })

  it("C18: ends or watches processes of the sandbox that it is a copy of, though both are one user", async () => {
    expect(await ground.print("ps -eo args | grep 'sleep [1]000'")).toBe("")
    await ground.print("kill -9 -1").catch(() => {})
    const { stdout } = await createWorkspace(sibling).exec("ps -eo args | grep -c 'sleep [1]000'")
    expect(stdout).toBe("1\n")
  })

  it("C18: finds files that what mounted its home has left open", async () => {
    const printed = await ground.print("ls -l /proc/[0-9]*/fd")
    expect(printed).toContain("/dev/null")
    expect(printed).not.toContain(ground.directory)
    expect(await ground.print("ls /proc/self/fd | wc -l")).toBe("4\n")
  })

  it("C18: uses more memory than a sandbox may", async () => {
    const { stdout } = await ground.workspace.exec(
      "python3 -c 'x = bytearray(3 * 1024 ** 3); print(len(x))'",
    )
    expect(stdout).toBe("")
  })

  it("C18: fills the machine with processes, or takes those of the sandbox that it is a copy of", async () => {
    const bomb = ground.print(`perl -e 'close STDERR; $n = 0;
      while ($n < 2000) { $p = fork; last unless defined $p; if (!$p) { sleep 3; exit } $n++ } print $n'`)
    expect(
      (
        await createWorkspace(sibling).exec(
          "for i in {1..50}; do sleep 0.1 & done; wait; echo fine",
        )
      ).stdout,
    ).toBe("fine\n")
    expect(Number(await bomb)).toBeLessThan(sandboxLimits.processes)
  })
})
