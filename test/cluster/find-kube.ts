import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

type FoundKube =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly remedy: string }

/** The program that is all parts of a cluster, by the name that it is called: packed by xz, or not. */
export function findKube(): FoundKube {
  const named = process.env.TOOLKEEP_TEST_KUBE
  if (named) {
    if (existsSync(named)) return { kind: "found", path: named }
    return { kind: "missing", remedy: `TOOLKEEP_TEST_KUBE names ${named}, which is not there.` }
  }
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "toolkeep")
  const cached = ["kube", "kube.xz"].map((name) => join(cache, name)).find(existsSync)
  if (cached !== undefined) return { kind: "found", path: cached }
  return {
    kind: "missing",
    remedy: `No cluster: set KUBECONFIG to one, or TOOLKEEP_TEST_KUBE to a program that is kube-apiserver, kube-controller-manager, kube-scheduler and kubelet by its name, or put that into ${cache}/kube.`,
  }
}
