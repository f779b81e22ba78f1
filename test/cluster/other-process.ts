import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { kubernetesHost } from "../../src/sandbox/hosts/kubernetes/kubernetes-host.ts"

// A Toolkeep of its own with one sandbox. The test kills it.

const [options = "{}"] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), "toolkeep-other-"))
const host = kubernetesHost({ directory, ...JSON.parse(options) })
await host.create({ name: "other" })
process.stdout.write("ready\n")
setInterval(() => {}, 1_000)
