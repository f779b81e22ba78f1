import { HandlerNode } from "../graph/handler.ts"
import { type PendingStep, pendingSteps } from "../graph/ref.ts"

type AnyHandler = HandlerNode<unknown, unknown>

/** What `ct-loader` shows of the pending steps that its expression was computed from: since when, and how they are ended. */
export function loaderOf(): {
  readonly since: number | undefined
  readonly stop: AnyHandler | null
} {
  const pending = pendingSteps()
  const starts = pending.flatMap((step) => step.startedMs() ?? [])
  // An object of steps: the same ones make the same handler, which keeps its number on the page.
  const bound: Readonly<Record<string, PendingStep>> = Object.fromEntries(pending.entries())
  return {
    since: starts.length === 0 ? undefined : Math.min(...starts),
    stop: pending.length === 0 ? null : new HandlerNode<unknown, unknown>(stopAll, bound, null),
  }
}

function stopAll(_event: unknown, bound: unknown): void {
  for (const step of Object.values(Object(bound) as Record<string, PendingStep>)) step.stop()
}
