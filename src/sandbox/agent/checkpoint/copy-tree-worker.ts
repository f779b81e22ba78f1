import { parentPort, workerData } from "node:worker_threads"
import { layerPath } from "../directory/home-stack.ts"
import type { CopyOrder, CopyReport } from "./copy-in-thread.ts"
import { copyTree } from "./copy-tree.ts"
import { readKnown, writeKnown } from "./known-files.ts"

const { shared, name, knownFile, nextKnownFile, ...request } = workerData as CopyOrder
const earlier = readKnown(knownFile)
const result = copyTree({
  ...request,
  earlier: earlier && { tree: layerPath(shared, earlier.tree), known: earlier.known },
})
if (result.kind === "copied") writeKnown(nextKnownFile, { tree: name, known: result.known })
const report: CopyReport =
  result.kind === "copied"
    ? { kind: "copied", bytes: result.bytes, incomplete: result.incomplete }
    : result
parentPort?.postMessage(report)
