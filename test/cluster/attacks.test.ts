import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openGroundOn } from "../attacks/attack-ground.ts"
import { attackOutput } from "../attacks/output-attacks.ts"
import { attackPaths } from "../attacks/path-attacks.ts"
import { attackTrees } from "../attacks/tree-attacks.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

const open = () => openGroundOn((options) => cluster.host(options))

describe("files of the node by a path, from a pod", () => attackPaths(open))
describe("trees as archives, from a pod", () => attackTrees(open))
describe("what is printed, from a pod", () => attackOutput(open))

describe("from inside a pod", () => {
  it("C18, R12: no command has a capability, a token of the cluster, the keeper's secret, or a place to change what it did not make", async () => {
    const { workspace } = await cluster.open()
    const print = async (command: string) => {
      const { stdout, stderr } = await workspace.exec(command)
      return stdout + stderr
    }
    const status = await print("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    const sets = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t${"0".repeat(16)}\n`)
    expect(status).toBe(`${sets.join("")}NoNewPrivs:\t1\nSeccomp:\t2\n`)
    expect(Number(await print("id -u"))).toBeGreaterThanOrEqual(1_000)
    expect(await print("ls -A /var/run/secrets /run/secrets 2>/dev/null")).toBe("")

    const [pod] = await cluster.cluster.podsLabelled("toolkeep.dev/sandbox")
    const secret = pod?.metadata?.annotations?.["toolkeep.dev/token"] ?? ""
    expect(secret.length).toBeGreaterThan(20)
    const seen = await print(
      "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; ls -A /run/keeper 2>/dev/null",
    )
    expect(seen).toContain("HOME=/home/user")
    expect(seen).not.toContain(secret)

    const places = "/ /etc /usr/bin /run/toolkeep /run/toolkeep-bin /etc/passwd"
    const written = await print(
      `for place in ${places}; do [ -w $place ] && echo "$place"; touch $place/planted 2>/dev/null && echo "$place"; done; true`,
    )
    expect(written).toBe("")
    const refused = await print(
      "mount -t tmpfs none /tmp 2>/dev/null || echo no mount; unshare --user true 2>/dev/null || echo no namespace; chroot / true 2>/dev/null || echo no root",
    )
    expect(refused).toBe("no mount\nno namespace\nno root\n")
  })
})
