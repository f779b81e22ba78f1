import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node"
import { ToolFailure } from "../../../../contract/index.ts"
import { UnfitImage } from "../../../agent/commands/require-programs.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { kubernetesLimits } from "../../../limits.ts"
import { containers } from "./pod-settings.ts"

/** Why a pod that is being started will not take commands; null while it may. */
export function podTrouble(pod: V1Pod | null, waitedMs: number): ToolFailure | null {
  if (!pod || pod.metadata?.deletionTimestamp) {
    return new ToolFailure({ kind: "unavailable", message: "The sandbox's pod was deleted." })
  }
  const statuses = pod.status?.containerStatuses ?? []
  for (const status of statuses) {
    const trouble = containerTrouble(status)
    if (trouble) return trouble
  }
  const { phase, reason = "", message = "" } = pod.status ?? {}
  if (phase === "Failed" || phase === "Succeeded") {
    return permanentFailure(`The sandbox's pod has ended. ${sentence(`${reason}: ${message}`)}`)
  }
  return waitedMs < kubernetesLimits.scheduleMs ? null : schedulingTrouble(pod)
}

/** Whether a pod is over, or one of its containers is: a pod ends only with all of them. */
export function hasEnded({ metadata, status }: V1Pod): boolean {
  const all = status?.containerStatuses ?? []
  const isOver = metadata?.deletionTimestamp || /^(Failed|Succeeded)$/.test(status?.phase ?? "")
  return Boolean(isOver) || all.some(({ state }) => state?.terminated !== undefined)
}

/** The reasons that the registry, the name or the node's own store give; none goes away by itself. */
const imageReasons = new Set([
  ...["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"],
  ...["ImageInspectError", "RegistryUnavailable"],
])
const startReasons = new Set(["CreateContainerConfigError", "CreateContainerError"])

function containerTrouble({ name, image, state }: V1ContainerStatus): ToolFailure | null {
  const { waiting, terminated } = state ?? {}
  if (waiting?.reason && imageReasons.has(waiting.reason)) {
    return new ToolFailure({
      kind: "invalid_args",
      message: `The cluster can't get the image ${JSON.stringify(image)}: ${sentence(waiting.message ?? waiting.reason)}`,
      field: "image",
      expected: "an image that the cluster's nodes have or can pull",
    })
  }
  if (waiting?.reason && startReasons.has(waiting.reason)) {
    return permanentFailure(
      `The sandbox's pod can't be started: ${sentence(waiting.message ?? waiting.reason)}`,
    )
  }
  if (!terminated) return null
  const reason = sentence(terminated.message ?? terminated.reason ?? "")
  // A program that is not there: its node says so before anything has run.
  if (/^(StartError|ContainerCannotRun)$/.test(terminated.reason ?? "")) {
    return new UnfitImage(image, reason)
  }
  if (name !== containers.keeper) return null
  return new UnfitImage(image, "The program that hands over commands did not start in it.", {
    hasBash: true,
  })
}

function schedulingTrouble({ status }: V1Pod): ToolFailure | null {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled")
  if (scheduled?.status !== "False") return null
  return new ToolFailure({
    kind: "unavailable",
    message: `No node of the cluster takes the sandbox: ${sentence(scheduled.message ?? "")}`,
  })
}

/** Cut to what is worth reading, on one line, with an end. */
function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ").slice(0, kubernetesLimits.reasonCharacters)
  return /[.!?]$/.test(line) ? line : `${line}.`
}
