import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { sandboxLimits } from "../../src/sandbox/limits.ts"
import { openMcpFixture } from "./attack-ground.ts"
import { attackResources } from "./resource-attacks.ts"

describe("taking all there is, from bubblewrap", () => {
  attackResources(openMcpFixture, { sharedMemoryBytes: sandboxLimits.temporaryBytes })

  it("O30: one process that holds the pipes of all commands does not take this process's files", async () => {
    await using ground = await openMcpFixture()
    const { workspace, print } = ground
    await workspace.exec(`perl -MFcntl -e 'close STDOUT; close STDERR; exit if fork;
      while (1) { for (glob "/run/toolkeep/*.out") {
        next if $seen{$_};
        next unless sysopen my $pipe, $_, O_WRONLY | O_NONBLOCK; $seen{$_} = $pipe }
        select undef, undef, undef, 0.02 }'`)
    const count = sandboxLimits.outputsLeftOpen + 200
    for (let done = 0; done < count; done += 100) {
      await Promise.all(Array.from({ length: 100 }, () => workspace.exec("sleep 0.1")))
    }
    const held = readdirSync("/proc/self/fd").length
    expect(held).toBeLessThan(2 * sandboxLimits.outputsLeftOpen + 300)
    expect(await print("echo alive")).toContain("alive\n")
  })
})
