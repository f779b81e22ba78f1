import { nowMs } from "../state/now-ms.ts"

/** Made once: to make one takes longer than to draw a card (bench: long-scroll). */
const wholeDate = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "medium" })
const timeOfDay = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat([], { year: "numeric", month: "short", day: "numeric" })

/** A time of day, with the whole date for those who point at it. */
export function Clock({ ms }: { readonly ms: number }) {
  const date = new Date(ms)
  return (
    <time dateTime={date.toISOString()} title={wholeDate.format(date)}>
      {timeOfDay.format(date)}
    </time>
  )
}

/** A day and a time of day. */
export function Moment({ ms }: { readonly ms: number }) {
  const date = new Date(ms)
  return (
    <time dateTime={date.toISOString()}>
      {date.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" })}
    </time>
  )
}

/** How long it has taken so far, to the second. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  const seconds = Math.max(0, Math.floor((nowMs.value - sinceMs) / 1_000))
  return <span class="elapsed">{wholeSeconds(seconds)}</span>
}

/** How long is left, to the second. */
export function Countdown({ untilMs }: { readonly untilMs: number }) {
  const seconds = Math.ceil((untilMs - nowMs.value) / 1_000)
  return (
    <span class="elapsed">
      {seconds > 0 ? `expires in ${wholeSeconds(seconds)}` : "expires now"}
    </span>
  )
}

/** A day, with the time for those who point at it. */
export function Day({ ms }: { readonly ms: number }) {
  const date = new Date(ms)
  return (
    <time dateTime={date.toISOString()} title={wholeDate.format(date)}>
      {day.format(date)}
    </time>
  )
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return wholeSeconds(Math.round(ms / 1_000))
}

function wholeSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}
