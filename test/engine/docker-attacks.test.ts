import { afterAll, beforeAll, describe } from "vitest"
import { attackAgent } from "../attacks/agent-attacks.ts"
import { openGroundOn } from "../attacks/attack-ground.ts"
import { attackCalls } from "../attacks/call-attacks.ts"
import { attackEnvironment } from "../attacks/environment-attacks.ts"
import { attackFiles } from "../attacks/file-attacks.ts"
import { attackKernel } from "../attacks/kernel-attacks.ts"
import { attackOutput } from "../attacks/output-attacks.ts"
import { attackPaths } from "../attacks/path-attacks.ts"
import { attackProcesses } from "../attacks/process-attacks.ts"
import { attackResources } from "../attacks/resource-attacks.ts"
import { attackToolRaces } from "../attacks/tool-race-attacks.ts"
import { attackTransfers } from "../attacks/transfer-attacks.ts"
import { attackTrees } from "../attacks/tree-attacks.ts"
import { attackBinds } from "./bind-attacks.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
})

afterAll(() => docker[Symbol.asyncDispose]())

const open = () => openGroundOn((options) => docker.host(options))

describe("files of the host by a path, from docker", () => attackPaths(open))
describe("files of the host through the system, from docker", () => attackFiles(open))
describe("ways through the kernel, from docker", () => attackKernel(open))
describe("system calls that kernels were broken through, from docker", () =>
  attackCalls(open, ["open_tree_attr"]))
describe("trees as archives, from docker", () => attackTrees(open))
describe("two sandboxes without a network, on docker", () => attackTransfers(open))
describe("tools on docker", () => attackToolRaces(open))
describe("binds of docker", () => attackBinds(() => docker))
describe("what is printed, from docker", () => attackOutput(open))
describe("processes of the host, from docker", () => attackProcesses(open))
describe("the agent from its own sandbox, on docker", () => attackAgent(open, { agent: 1 }))
describe("variables of the agent and of its shell, from docker", () =>
  attackEnvironment(open, { oneOf: 4 }))
describe("taking all there is, from docker", () =>
  attackResources(open, { sharedMemoryBytes: 64 * 1024 ** 2 }))
