import type { ComponentChildren } from "preact"
import { Scroll } from "./scroll.tsx"

interface TableProps {
  readonly label: string
  /** What is above each column. */
  readonly columns: readonly ComponentChildren[]
  readonly look?: string
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table, which scrolls by itself where the screen is narrow. */
export function Table({ label, columns, look = "wide", children }: TableProps) {
  return (
    <Scroll label={label}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  )
}

/** Of a column whose buttons say what they do. */
export function Unseen({ children }: { readonly children: string }) {
  return <span class="unseen">{children}</span>
}
