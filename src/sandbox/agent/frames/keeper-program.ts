import { frameLimits, networkLimits } from "../../limits.ts"
import { keeperScript } from "./keeper-script.ts"

/** Where a keeper's container has what only the keeper sees, and what the sandbox sees as well. */
export const keeperPaths = { own: "/run/keeper", exchange: "/run/toolkeep" } as const

const { own, exchange } = keeperPaths

/** Has what the agent said first, for those who do not speak with it. */
export const wordFile = `${own}/word`

/**
 * What a connection is: it tells the keeper its number, and waits until the keeper ends it. In a shell of its own, because a
 * redirection would be its output for a moment, which is what the keeper opens then; and nobody ever opens the other pipe.
 */
export const joinKeeper = [
  ...["/bin/sh", "-c"],
  `[ -p ${own}/join ] && [ -p ${own}/hold ] && (echo $$ >${own}/join) && : 9<${own}/hold`,
]

/** What the exchange holds: the commands of one sandbox, and their inputs of at most 64 KiB. */
export const exchangeBytes = 256 * 1024 ** 2

/** Shell text that makes the pipes of a keeper, of its agent, and of the first slots. */
export function makePipes(): string {
  const pipes = Array.from({ length: frameLimits.slots }, (_, slot) =>
    ["out", "err", "pipe"].map((end) => `${slot}.${end}`).join(" "),
  )
  return [
    `umask 022; cd ${exchange} && mkfifo -m 600 ${own}/join ${own}/hold &&`,
    `mkfifo -m 622 answers ${pipes.join(" ")} && mkfifo -m 644 requests`,
  ].join("\n")
}

/** The keeper as the text of a program for Node; `home` is what it measures. */
export function keeperProgram(
  token: string,
  home: string,
  abandonedMs: number = frameLimits.abandonedMs,
): string {
  const { slots, windowBytes, beatMs, silenceMs } = frameLimits
  const times = { beatMs, silenceMs }
  const joining = `${own}/join`
  const { connections } = networkLimits
  return keeperScript({
    ...{ token, exchange, joining, wordFile, home, slots, connections },
    ...{ windowBytes, times, abandonedMs },
  })
}
