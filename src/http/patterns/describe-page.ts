import { groupDigits } from "../../kit/index.ts"
import type {
  HoleValue,
  SourceProblem,
  StepFailure,
  ViewChange,
  ViewNode,
} from "../../reactive/index.ts"
import { httpLimits } from "../limits.ts"

/** An error, or the failure that came of it, with its place. */
export type DescribeError = (error: unknown) => SourceProblem

/** What is sent of a page: the whole of it, or what changed together. */
export interface PageData extends ViewChange {
  readonly tree?: readonly ViewNode[]
  readonly problem?: SourceProblem | null
}

/** Makes what is sent of a page: errors have their places. */
export function createDescribe(
  problemOf: DescribeError,
  onProblem: (problem: SourceProblem) => void,
): (data: PageData) => unknown {
  const reported = new WeakSet<StepFailure>()
  const placed = (failure: StepFailure): SourceProblem & { readonly kind: string } => {
    const { message, ...place } = problemOf(failure)
    const problem = cutProblem({ ...place, message: failure.message || message })
    if (!reported.has(failure)) onProblem(problem)
    reported.add(failure)
    return { ...failure, ...problem }
  }
  // By their places: a property may have any name, also that of an error.
  const nodeOf = (node: ViewNode): unknown => {
    if (typeof node === "string") return node
    if ("tag" in node) return { ...node, children: node.children.map(nodeOf) }
    return "error" in node ? { error: placed(node.error) } : node
  }
  const holeOf = (value: HoleValue) =>
    typeof value === "object" ? (value?.map(nodeOf) ?? null) : value
  return ({ name, tree, holes, problem }) => {
    const filled = Object.entries(holes).map(([hole, value]) => [hole, holeOf(value)])
    return {
      ...(name !== undefined && { name }),
      ...(tree && { tree: tree.map(nodeOf) }),
      holes: Object.fromEntries(filled),
      ...(problem !== undefined && { problem: problem && cutProblem(problem) }),
    }
  }
}

/** What was thrown may have a whole output in its message, and its line may be a whole file. */
export function cutProblem(problem: SourceProblem): SourceProblem {
  const { message, frame } = problem
  return { ...problem, message: cut(message), ...(frame !== undefined && { frame: cut(frame) }) }
}

function cut(text: string): string {
  const most = httpLimits.patternProblemCharacters
  if (text.length <= most) return text
  return `${text.slice(0, most)}[... ${groupDigits(text.length - most)} characters are not shown ...]`
}
