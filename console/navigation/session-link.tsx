import { ShownText } from "../parts/text/shown-text.tsx"
import { sessionPath } from "./views.ts"

/** Leads to a session, by its name. */
export function SessionLink({ session }: { readonly session: string }) {
  return (
    <a href={sessionPath(session)}>
      <ShownText text={session} />
    </a>
  )
}
