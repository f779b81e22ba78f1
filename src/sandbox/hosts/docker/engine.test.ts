import { describe, expect, it } from "vitest"
import { systemClock } from "../../../kit/index.ts"
import { connectEngine } from "./engine.ts"

describe("the library that speaks to the engine", () => {
  it("Y16: where it is not installed, the answer is the one command that installs it", async () => {
    const load = () => import("dockerode/missing" as string)
    const connecting = connectEngine({ socketPath: "/nowhere", clock: systemClock, load })
    await expect(connecting).rejects.toMatchObject({
      kind: "unavailable",
      message: "The docker host needs the package dockerode. Install it: npm install dockerode",
      retryable: false,
    })
  })
})
