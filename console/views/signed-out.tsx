export function SignedOut({ why }: { readonly why: string | null }) {
  return (
    <main class="empty">
      <h1>Toolkeep</h1>
      {why !== null && <p role="alert">{why}</p>}
      <p>
        This browser is not signed in. Run <code>toolkeep link</code> on the machine where Toolkeep
        runs, and open the link that it prints. Each link works once, within ten minutes.
      </p>
    </main>
  )
}
