import { join } from "node:path"
import { describe } from "vitest"
import { localHost, memoryHost } from "../../src/sandbox/index.ts"
import { openGroundOn, openMcpFixture } from "./attack-ground.ts"
import { attackToolRaces } from "./tool-race-attacks.ts"

describe("tools on bubblewrap", () => attackToolRaces(openMcpFixture))
describe("tools on memory", () => attackToolRaces(() => openGroundOn(() => memoryHost())))
describe("tools on local", () =>
  attackToolRaces(() =>
    openGroundOn(({ directory }) =>
      localHost({ directoryFor: (name) => join(directory, "..", "work", name) }),
    ),
  ))
