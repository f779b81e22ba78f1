import type { Signal } from "@preact/signals"
import { type CardFilter, isFiltering, noFilter, type ResultFilter } from "../model/card-filter.ts"

interface FilterBarProps {
  readonly filter: Signal<CardFilter>
  readonly tools: readonly string[]
}

const results: Readonly<Record<ResultFilter, string>> = {
  ...{ all: "All results", running: "Running", waiting: "Waiting", done: "Done" },
  problem: "With problems",
}

/** Chooses cards by tool, by result and by words. */
export function FilterBar({ filter, tools }: FilterBarProps) {
  const { tool, result, text } = filter.value
  const set = (change: Partial<CardFilter>) => {
    filter.value = { ...filter.peek(), ...change }
  }
  const known = tool === "" || tools.includes(tool) ? tools : [tool, ...tools]
  return (
    <search class="filter">
      <input
        type="search"
        aria-label="Search the cards"
        placeholder="Search"
        value={text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      <select
        aria-label="Tool"
        value={tool}
        onChange={(event) => set({ tool: event.currentTarget.value })}
      >
        <option value="">All tools</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Result"
        value={result}
        onChange={(event) => set({ result: event.currentTarget.value as ResultFilter })}
      >
        {Object.entries(results).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {isFiltering(filter.value) && (
        <button type="button" onClick={() => set(noFilter)}>
          Clear
        </button>
      )}
    </search>
  )
}
