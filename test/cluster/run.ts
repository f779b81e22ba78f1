import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { apart } from "./apart.ts"
import { findKube } from "./find-kube.ts"

// `npm run test:cluster`: on the cluster of KUBECONFIG, or on a local one that is started for it.

const root = join(import.meta.dirname, "../..")
const vitest = join(root, "node_modules/.bin/vitest")
const command = [vitest, "run", "--config", "vitest.cluster.config.ts"]

function run(words: readonly string[], environment: NodeJS.ProcessEnv = {}): number {
  const [program = "", ...rest] = words
  const env = { ...process.env, ...environment }
  return spawnSync(program, rest, { cwd: root, stdio: "inherit", env }).status ?? 1
}

const others = process.argv.slice(2)
if (process.env.KUBECONFIG) process.exitCode = run([...command, ...others])
else {
  const kube = findKube()
  if (kube.kind === "found") {
    const stored = mkdtempSync(join(tmpdir(), "toolkeep-cluster-"))
    const environment = { TOOLKEEP_TEST_KUBE: kube.path, TOOLKEEP_TEST_CLUSTER: stored }
    process.exitCode = run([...apart, ...command, ...others], environment)
    // Now nothing is mounted there any more.
    rmSync(stored, { recursive: true, force: true })
  } else {
    console.error(kube.remedy)
    process.exitCode = 1
  }
}
