import { describe } from "vitest"
import { memoryHost } from "../../src/sandbox/index.ts"
import { openGroundOn } from "./attack-ground.ts"
import { attackOutput } from "./output-attacks.ts"
import { attackPaths } from "./path-attacks.ts"
import { attackTrees } from "./tree-attacks.ts"

const open = () => openGroundOn(() => memoryHost())

describe("files of the host by a path, from memory", () => attackPaths(open))
describe("trees as archives, from memory", () => attackTrees(open))
describe("what is printed, from memory", () => attackOutput(open))
