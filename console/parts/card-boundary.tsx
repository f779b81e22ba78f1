import { Component, type ComponentChildren } from "preact"

interface BoundaryProps {
  readonly children: ComponentChildren
}

/** A card that can't be drawn says so; the others live on. */
export class CardBoundary extends Component<BoundaryProps, { readonly problem: string | null }> {
  override state = { problem: null }

  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override render({ children }: BoundaryProps, { problem }: { readonly problem: string | null }) {
    if (problem === null) return children
    return (
      <article class="card broken">
        <p role="alert">This card can't be shown: {problem}</p>
        <button type="button" onClick={() => this.setState({ problem: null })}>
          Try again
        </button>
      </article>
    )
  }
}
