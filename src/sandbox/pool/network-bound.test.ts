import { expect, it } from "vitest"
import type { Network } from "../../contract/index.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createPool } from "../index.ts"
import { narrowNetwork } from "./network-bound.ts"

const none: Network = { kind: "none" }
const full: Network = { kind: "full" }
const only = (...domains: string[]): Network => ({ kind: "allow-list", domains })
const hostWith = (...networks: Network["kind"][]) => ({ can: { ...memoryHost().can, networks } })

const boundsOf = (...networks: Network[]) =>
  networks.map((network) => ({ network, source: "a test" }))

it.each<[Network | undefined, Network[], Network | undefined]>([
  [full, [none], none],
  [full, [only("a.example")], only("a.example")],
  [only("a.example"), [none], none],
  [only("a.example"), [only("a.example", "b.example")], only("a.example")],
  [only("a.example", "c.example"), [only("a.example")], only("a.example")],
  [none, [full], none],
  [full, [], full],
  [undefined, [none], none],
  [undefined, [full], undefined],
  [only("a.example"), [full, none], none],
  [only("a.example"), [only("a.example"), none], none],
  [only("a.example"), [only("a.example"), only("a.example", "b.example")], only("a.example")],
  [only("c.example"), [only("a.example", "b.example"), only("b.example")], only("b.example")],
  [full, [only("a.example"), only("b.example")], only()],
])("C18: a remembered sandbox with %j has, within %j, %j", (own, bounds, narrowed) => {
  expect(narrowNetwork(own, boundsOf(...bounds), hostWith("full", "none"))).toEqual(narrowed)
})

it("C18: a sandbox without a word about its network has the host's usual one, where that is no more", () => {
  expect(narrowNetwork(undefined, boundsOf(none), hostWith("none", "full"))).toBeUndefined()
})

it("C18: the network that was judged is the one that is made", async () => {
  const host = { ...memoryHost(), ...hostWith("none", "allow-list") }
  const made: (Network | undefined)[] = []
  await using pool = createPool(
    {
      ...host,
      create: async ({ network, ...spec }) => {
        made.push(network)
        return host.create(spec)
      },
    },
    { network: only("a.example") },
  )
  const domains = ["a.example"]
  const creating = pool.create({ name: "web", network: { kind: "allow-list", domains } })
  domains[0] = "evil.example"
  await creating
  expect(made).toEqual([only("a.example")])
})
