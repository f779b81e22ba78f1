import { availableMemory } from "../harness/available-memory.ts"
import { measureTime, median } from "../harness/measure.ts"
import type { Peer, Remove } from "./peer.ts"

/** One value for each round, in milliseconds or bytes. */
export interface PeerFigures {
  readonly create: readonly number[]
  readonly exec: readonly number[]
  readonly together: readonly number[]
  readonly memory: readonly number[]
}

export const together = 64
const held = 20
const rounds = { create: 15, exec: 15, together: 3, memory: 3 }

export type Peers = ReadonlyMap<string, Peer>

/** All of them in each round, in turns first, so that what else the machine does meets them all. */
export async function measurePeers(peers: Peers): Promise<ReadonlyMap<string, PeerFigures>> {
  const create = await inRounds(peers, "create", timeOfCreate)
  const exec = await inRounds(peers, "exec", timeOfExec)
  const atOnce = await inRounds(peers, "together", timeOfTogether)
  const memory = await inRounds(peers, "memory", memoryOfOne)
  return new Map(
    [...peers.keys()].map((name) => [
      name,
      {
        create: create.get(name) ?? [],
        exec: exec.get(name) ?? [],
        together: atOnce.get(name) ?? [],
        memory: memory.get(name) ?? [],
      },
    ]),
  )
}

/** How many times as much one has of something as another: the median of the ratios of their rounds. */
export function ratioOf(one: PeerFigures, other: PeerFigures, figure: keyof PeerFigures): number {
  return median(one[figure].map((value, round) => value / (other[figure][round] ?? Number.NaN)))
}

async function inRounds(
  peers: Peers,
  figure: keyof PeerFigures,
  measure: (peer: Peer) => Promise<number>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  console.error(`measuring: peers: ${figure}`)
  const names = [...peers.keys()]
  const values = new Map<string, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds[figure]; round += 1) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const peer = peers.get(name)
      if (peer) values.get(name)?.push(await measure(peer))
    }
  }
  return values
}

/** Removing it is not part of the figure. */
async function timeOfCreate(peer: Peer): Promise<number> {
  await peer.ready?.()
  const started = performance.now()
  const remove = await peer.createAndRun()
  const milliseconds = performance.now() - started
  await remove()
  return milliseconds
}

function timeOfExec(peer: Peer): Promise<number> {
  return measureTime(() => peer.exec(), { rounds: 1 })
}

async function timeOfTogether(peer: Peer): Promise<number> {
  const started = performance.now()
  await Promise.all(Array.from({ length: together }, () => peer.exec()))
  return performance.now() - started
}

async function memoryOfOne(peer: Peer): Promise<number> {
  const before = availableMemory()
  const removes: Remove[] = []
  try {
    while (removes.length < held) removes.push(await peer.hold())
    return (before - availableMemory()) / held
  } finally {
    for (const remove of removes) await remove()
  }
}
