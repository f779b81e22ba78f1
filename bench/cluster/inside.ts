import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../src/kit/index.ts"
import { connectCluster } from "../../src/sandbox/hosts/kubernetes/cluster/cluster.ts"
import { kubernetesHost } from "../../src/sandbox/hosts/kubernetes/kubernetes-host.ts"
import { image, keeperImage } from "../../test/cluster/images.ts"
import { startCluster } from "../../test/cluster/local/start-cluster.ts"
import { countRequests } from "./count-requests.ts"
import { measureExec } from "./measure-exec.ts"
import { measurePool } from "./measure-pool.ts"
import { measureSlowReader } from "./measure-slow-reader.ts"

// Started by bench/cluster.ts, in the namespaces of a local cluster where it starts one. Prints the rows as JSON.

const [stored = "", kube = ""] = process.argv.slice(2)
const files = join(stored, "cluster")
mkdirSync(files)
await using local = kube === "" ? null : await startCluster(kube, files)
if (local) process.env.KUBECONFIG = local.kubeconfig
const host = kubernetesHost({ image, keeperImage, directory: join(stored, "host") })
const cluster = await connectCluster({}, systemClock)
const sandbox = await host.create({ name: "bench" })
const rows = [
  ...(await measureExec(sandbox, cluster)),
  await countRequests(sandbox),
  await measureSlowReader(sandbox),
]
await sandbox.destroy()
rows.splice(2, 0, await measurePool(host))
process.stdout.write(JSON.stringify(rows))
