import { afterAll, beforeAll, describe } from "vitest"
import { attackAgent } from "../attacks/agent-attacks.ts"
import { openGroundOn, setUpMs } from "../attacks/attack-ground.ts"
import { attackCalls } from "../attacks/call-attacks.ts"
import { attackEnvironment } from "../attacks/environment-attacks.ts"
import { attackFiles } from "../attacks/file-attacks.ts"
import { attackKernel } from "../attacks/kernel-attacks.ts"
import { attackPaths } from "../attacks/path-attacks.ts"
import { attackProcesses } from "../attacks/process-attacks.ts"
import { attackResources } from "../attacks/resource-attacks.ts"
import { attackToolRaces } from "../attacks/tool-race-attacks.ts"
import { attackTransfers } from "../attacks/transfer-attacks.ts"
import { attackTrees } from "../attacks/tree-attacks.ts"
import { attackBinds } from "./bind-attacks.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"
import { startPodman } from "./start-podman.ts"

let podman: DockerFixture

beforeAll(async () => {
  podman = await openDocker(startPodman)
}, 2 * setUpMs)

afterAll(() => podman[Symbol.asyncDispose](), 2 * setUpMs)

const open = () => openGroundOn((options) => podman.host(options))

describe("files of the host by a path, from podman", () => attackPaths(open))
describe("trees as archives, from podman", () => attackTrees(open))
describe("two sandboxes without a network, on podman", () => attackTransfers(open))
describe("tools on podman", () => attackToolRaces(open))
describe("binds of podman", () => attackBinds(() => podman))
describe("the agent from its own sandbox, on podman", () => attackAgent(open, { agent: 1 }))
describe("files of the host through the system, from podman", () => attackFiles(open))
describe("ways through the kernel, from podman", () => attackKernel(open))
describe("system calls that kernels were broken through, from podman", () =>
  attackCalls(open, ["open_tree_attr"]))
describe("processes of the host, from podman", () => attackProcesses(open))
describe("variables of the agent and of its shell, from podman", () =>
  attackEnvironment(open, { oneOf: 8 }))
describe("taking all there is, from podman", () =>
  attackResources(open, { sharedMemoryBytes: 64 * 1024 ** 2 }))
