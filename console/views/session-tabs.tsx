import { changesPath, sessionPath } from "../navigation/views.ts"

interface SessionTabsProps {
  readonly session: string
  readonly current: "calls" | "changes"
}

/** The pages about one session. */
export function SessionTabs({ session, current }: SessionTabsProps) {
  const tabs = [
    { name: "calls", label: "Calls", path: sessionPath(session) },
    { name: "changes", label: "Changes", path: changesPath(session, {}) },
  ]
  return (
    <nav class="tabs" aria-label="Of this session">
      {tabs.map(({ name, label, path }) => (
        <a key={name} href={path} aria-current={name === current ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}
