import { describe } from "vitest"
import { openGround } from "./attack-ground.ts"
import { attackTransfers } from "./transfer-attacks.ts"

describe("two sandboxes without a network, on bubblewrap", () => attackTransfers(openGround))
