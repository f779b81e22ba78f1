import { signal } from "@preact/signals"

let timer: ReturnType<typeof setInterval> | undefined

/** The time, once a second while something on the page shows it and the page can be seen. */
export const nowMs = signal(Date.now(), {
  watched() {
    nowMs.value = Date.now()
    timer = setInterval(() => {
      if (!document.hidden) nowMs.value = Date.now()
    }, 1_000)
  },
  unwatched: () => clearInterval(timer),
})
