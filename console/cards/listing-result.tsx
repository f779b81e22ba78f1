import { useSignal } from "@preact/signals"
import type { TreeNode } from "../model/listing-tree.ts"
import type { ResultView } from "../model/result-view.ts"
import { More } from "../parts/text/code.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"

/** Names that are shown of one directory before the reader asks for all. */
const firstNames = 50

/** A directory as a tree to open. */
export function Listing({
  listing,
}: {
  readonly listing: Extract<ResultView, { kind: "listing" }>
}) {
  return (
    <div class="listing">
      <Branch nodes={listing.tree} />
      <p class="quiet">
        {listing.count} {listing.count === 1 ? "entry" : "entries"}
        {listing.isCut && ", and more"}
      </p>
    </div>
  )
}

function Branch({ nodes }: { readonly nodes: readonly TreeNode[] }) {
  const isOpen = useSignal(false)
  const shown = isOpen.value ? nodes : nodes.slice(0, firstNames)
  return (
    <>
      <ul class="tree">
        {shown.map((node) => (
          <li key={node.path}>
            <Leaf node={node} />
          </li>
        ))}
      </ul>
      <More count={nodes.length - shown.length} noun="names" onOpen={() => (isOpen.value = true)} />
    </>
  )
}

const marks: Readonly<Record<string, string>> = { directory: "/", symlink: " →" }

function Leaf({ node: { name, type, children } }: { readonly node: TreeNode }) {
  const isOpen = useSignal(false)
  const text = <ShownText text={`${name}${marks[type] ?? ""}`} />
  if (children.length === 0) return <span class={type}>{text}</span>
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        {text} <span class="quiet">{children.length}</span>
      </summary>
      {isOpen.value && <Branch nodes={children} />}
    </details>
  )
}

/** Where something was found. */
export function Matches({ found }: { readonly found: Extract<ResultView, { kind: "matches" }> }) {
  const isOpen = useSignal(false)
  const { matches } = found
  const shown = isOpen.value ? matches : matches.slice(0, firstNames)
  return (
    <>
      {matches.length === 0 && <p class="quiet">Nothing was found.</p>}
      <ul class="tree">
        {shown.map(({ path, line, text }, index) => (
          <li key={index}>
            <span class="path">
              <ShownText text={line === null ? path : `${path}:${line}`} />
            </span>{" "}
            <ShownText text={text} />
          </li>
        ))}
      </ul>
      <More
        count={matches.length - shown.length}
        noun="matches"
        onOpen={() => (isOpen.value = true)}
      />
      {found.isCut && <p class="quiet">There are more.</p>}
    </>
  )
}
