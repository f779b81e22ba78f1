/** What a frame says. `hello` and `beat` have no number: they belong to a connection and not to what it carries. */
export const frameKinds = {
  hello: 0,
  beat: 1,
  /** Bytes of a channel, their end, and how many more may come. */
  data: 2,
  end: 3,
  credit: 4,
  /** Nobody reads the channel any more, or writes it; the keeper says when it has let go. */
  close: 5,
  /** A command for a slot, before the agent is told to run it; and that it is for nobody to read any more. */
  open: 6,
  forget: 7,
  /** More slots, and how many there are. */
  grow: 8,
  /** Nobody opens the agent's own pipes any more. */
  seal: 9,
  /** What the home takes of the disk. */
  measure: 10,
  /** Programs inside may connect, or not any more; and one has, which is a channel of its own. */
  listen: 11,
  connect: 12,
} as const

/** The channels of a slot, by what is added to four times its number; those of no slot are the agent's. */
export const channels = {
  ...{ agent: 0, stdout: 1, stderr: 2, stdin: 3, perSlot: 4 },
  /** From here on, connections. */
  firstConnection: 2 ** 31,
} as const

export interface Frame {
  readonly kind: number
  readonly channel: number
  readonly payload: Buffer
}

/** What both sides of a link hold to. */
export interface LinkTimes {
  /** How often each side says that it is there. */
  readonly beatMs: number
  /** A connection on which nothing was heard for so long is closed, and another one is made. */
  readonly silenceMs: number
}
