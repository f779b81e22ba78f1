/** Each four times the one before: for work that grows with the length, also the time is four times as long. */
const counts = [25, 100, 400, 1_600, 6_400, 25_600]

/** A busy machine can make a long text look slow once. From here on, the time has to grow too much twice in a row. */
const believedBelow = 1_000

/** Squared, it is sixteen times as long. */
const tooMuchGrowth = 10

/** Less is within what a machine does beside. Work that grows with the length takes a hundredth of it. */
const noticedMs = 8

/** Nobody wants to know how long the next text takes. */
const endlessMs = 1_000

/**
 * What to repeat so that the time of an expression grows faster than the text, in words; or null. Every text is tried
 * from short to long, because some expressions take for ever for a short one already.
 */
export function slowText(expression: RegExp): string | null {
  if (!/[*+]|,\}/.test(expression.source)) return null
  for (const { start, repeated, end } of attacksOn(expression)) {
    let before = 0
    let isSuspect = false
    for (const count of counts) {
      const ms = timeOf(expression, `${start}${repeated.repeat(count)}${end}`)
      const grewTooMuch = ms > noticedMs && ms > tooMuchGrowth * before
      if (grewTooMuch && (isSuspect || count < believedBelow || ms > endlessMs)) {
        return JSON.stringify([start, repeated, end])
      }
      // The longest text is only for those that were slow before.
      if (!grewTooMuch && count === counts.at(-2)) break
      isSuspect = grewTooMuch
      before = ms
    }
  }
  return null
}

/** Processor time, the best of some attempts, so that what else the machine does is not counted. */
function timeOf(expression: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = process.threadCpuUsage()
    text.replace(expression, "")
    const { user, system } = process.threadCpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
    if (best < noticedMs / 10 || best > 20 * noticedMs) break
  }
  return best
}

interface Attack {
  readonly start: string
  readonly repeated: string
  readonly end: string
}

const common = [
  " ",
  "\n",
  "\n ",
  "a",
  "A",
  "0",
  "-",
  ".",
  "/",
  "\\",
  '"',
  "=",
  "<",
  "[",
  "a.",
  "a-",
  " a",
]

/** Texts of what is common, and of what the expression itself names. */
function* attacksOn({ source }: RegExp): Generator<Attack> {
  const named = [...source.matchAll(/(?<!\\)[\w<>!"'=:@./-]{2,}/g)].map(([text]) => text)
  const pairs = named.slice(0, 4).flatMap((one) => named.slice(0, 4).map((other) => one + other))
  const starts = new Set(["", "a", ...named.slice(0, 3)])
  for (const repeated of new Set([...common, ...named.slice(0, 8), ...pairs])) {
    for (const start of starts) {
      for (const end of ["", "!"]) yield { start, repeated, end }
    }
  }
}
