import { join } from "node:path"
import { describe } from "vitest"
import { localHost, memoryHost } from "../../src/sandbox/index.ts"
import { openGround, openGroundOn } from "./attack-ground.ts"
import { attackToolRaces } from "./tool-race-attacks.ts"

describe("tools on bubblewrap", () => attackToolRaces(openGround))
describe("tools on memory", () => attackToolRaces(() => openGroundOn(() => memoryHost())))
describe("tools on local", () =>
  attackToolRaces(() =>
    openGroundOn(({ directory }) =>
      localHost({ directoryFor: (name) => join(directory, "..", "work", name) }),
    ),
  ))
