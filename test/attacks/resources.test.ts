import { describe } from "vitest"
import { limits } from "../../src/contract/index.ts"
import { openGround } from "./attack-ground.ts"
import { attackResources } from "./resource-attacks.ts"

describe("taking all there is, from bubblewrap", () =>
  attackResources(openGround, { sharedMemoryBytes: limits.sandbox.temporaryBytes }))
