import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { podTrouble } from "./pod-trouble.ts"

const later = 60_000

function pod(status: V1Pod["status"]): V1Pod {
  return { metadata: { name: "pod" }, status: { phase: "Pending", ...status } }
}

function container(state: V1ContainerStatus["state"], name = "sandbox"): V1Pod {
  const status = { name, image: "some:1", imageID: "", ready: false, restartCount: 0, state }
  return pod({ containerStatuses: [status as V1ContainerStatus] })
}

describe("what is wrong with a pod that is being started", () => {
  it("R12: nothing, while an image is pulled or a node is looked for", () => {
    const conditions = [{ type: "PodScheduled", status: "False", message: "0/2 nodes." }]
    expect(podTrouble(container({ waiting: { reason: "ContainerCreating" } }), later)).toBeNull()
    expect(podTrouble(pod({ conditions }), 1_000)).toBeNull()
  })

  it("R12: the scheduler's reason, once it has had its time", () => {
    const conditions = [{ type: "PodScheduled", status: "False", message: "0/2 nodes: too small" }]
    expect(podTrouble(pod({ conditions }), later)).toMatchObject({
      kind: "unavailable",
      message: "No node of the cluster takes the sandbox: 0/2 nodes: too small.",
    })
  })

  it("R12: an image that can't be pulled", () => {
    const waiting = { reason: "ErrImagePull", message: "connection\n refused" }
    expect(podTrouble(container({ waiting }), 0)).toMatchObject({
      kind: "invalid_args",
      field: "image",
      message: 'The cluster can\'t get the image "some:1": connection refused.',
    })
  })

  it("R12: an image without the program, which may be lent one", () => {
    const terminated = { exitCode: 128, reason: "StartError", message: "no such file" }
    expect(podTrouble(container({ terminated }), 0)).toMatchObject({ hasBash: false })
  })

  it("R12: a pod that was deleted or evicted", () => {
    expect(podTrouble(null, 0)?.message).toBe("The sandbox's pod was deleted.")
    const evicted = pod({ phase: "Failed", reason: "Evicted", message: "The node was low on disk" })
    expect(podTrouble(evicted, 0)?.message).toBe(
      "The sandbox's pod has ended. Evicted: The node was low on disk.",
    )
  })
})
