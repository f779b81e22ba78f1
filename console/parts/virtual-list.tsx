import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks"

/** Where a reader was in a list. */
export interface ListPlace {
  readonly isAtEnd: boolean
  /** The first item that was seen. */
  readonly first: string | null
}

export interface ListControl {
  readonly toEnd: () => void
  readonly toItem: (id: string) => void
}

interface VirtualListProps {
  readonly ids: readonly string[]
  readonly label: string
  readonly draw: (id: string) => ComponentChildren
  /** Where to begin. */
  readonly place: ListPlace
  readonly onPlace: (place: ListPlace) => void
  readonly onNearStart: () => void
  readonly onNearEnd: () => void
  readonly control: { current: ListControl | null }
}

/** So near the end counts as being there. */
const endPixels = 48
const guessedPixels = 140
/** Items from the edge where more is loaded. */
const nearItems = 6

/**
 * A long list of which only what can be seen is drawn. It stays where the reader is when items come before or after, and
 * follows the end only while the reader is there.
 */
export function VirtualList(props: VirtualListProps) {
  const { ids, label, draw, control } = props
  const scroller = useRef<HTMLDivElement>(null)
  const current = useRef(props)
  current.current = props
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const list = useRef<Virtualizer<HTMLDivElement, HTMLLIElement> | null>(null)
  const options = {
    count: ids.length,
    getItemKey: (index: number) => current.current.ids[index] ?? index,
    getScrollElement: () => scroller.current,
    estimateSize: () => guessedPixels,
    overscan: 4,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: endPixels,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  } as const
  list.current ??= new Virtualizer(options)
  const virtual = list.current
  virtual.setOptions(options)
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  useLayoutEffect(() => {
    control.current = {
      toEnd: () => virtual.scrollToEnd(),
      toItem(id) {
        const index = current.current.ids.indexOf(id)
        if (index !== -1) virtual.scrollToIndex(index, { align: "center" })
      },
    }
    const { place } = current.current
    const index = place.first === null ? -1 : current.current.ids.indexOf(place.first)
    if (place.isAtEnd || index === -1) virtual.scrollToEnd()
    else virtual.scrollToIndex(index, { align: "start" })
    return () => {
      control.current = null
    }
  }, [])
  useEffect(() => tellPlace(virtual, current.current))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="scroller" ref={scroller} tabIndex={0} aria-label={label}>
      <ol class="cards virtual" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => (
          <li
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            style={{ transform: `translateY(${start}px)` }}
          >
            {draw(String(key))}
          </li>
        ))}
      </ol>
    </section>
  )
}

function tellPlace(
  virtual: Virtualizer<HTMLDivElement, HTMLLIElement>,
  { ids, onPlace, onNearStart, onNearEnd }: VirtualListProps,
): void {
  const { range } = virtual
  if (!range || ids.length === 0) return
  onPlace({ isAtEnd: virtual.isAtEnd(endPixels), first: ids[range.startIndex] ?? null })
  if (range.startIndex < nearItems) onNearStart()
  if (range.endIndex >= ids.length - nearItems) onNearEnd()
}
