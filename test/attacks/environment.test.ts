import { describe } from "vitest"
import { openMcpFixture } from "./attack-ground.ts"
import { attackEnvironment } from "./environment-attacks.ts"

describe("variables of the agent and of its shell, from bubblewrap", () =>
  attackEnvironment(openMcpFixture))
