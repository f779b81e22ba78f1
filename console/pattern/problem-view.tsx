import type { Problem } from "./page-data.ts"

interface Props {
  readonly problem: Problem
  readonly onClose?: () => void
}

/** An error in the code of the pattern: what, where, and the lines there. */
export function ProblemView({ problem, onClose }: Props) {
  const { message, file, line, column, frame } = problem
  const place = [file, line, column].filter((part) => part !== undefined).join(":")
  return (
    <div class="pattern-problem" role="alert">
      <strong>{message}</strong>
      {place !== "" && <div class="quiet">{place}</div>}
      {frame !== undefined && <pre>{frame}</pre>}
      {onClose && (
        <button type="button" onClick={onClose}>
          Close
        </button>
      )}
    </div>
  )
}
