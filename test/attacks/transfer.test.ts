import { describe, expect, it } from "vitest"
import { openMcpFixture, setUpMs } from "./attack-ground.ts"
import { asOrdinaryUser, makePlaces } from "./ordinary-user.ts"
import { attackTransfers } from "./transfer-attacks.ts"
import { silence } from "./transfer-talk.ts"

describe("two sandboxes without a network, on bubblewrap", () => {
  attackTransfers(openMcpFixture)

  it(
    "C18, C9: hear nothing of each other by a transfer's pipe where Toolkeep is run by an ordinary user",
    async () => {
      const module = import.meta.resolve("./transfer-talk.ts")
      expect(await asOrdinaryUser([module, "talkOnBubblewrap"], makePlaces())).toEqual(silence)
    },
    2 * setUpMs,
  )
})
