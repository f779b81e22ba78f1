import { describe } from "vitest"
import { attackAllowList } from "../attacks/proxy-attacks.ts"
import { openDocker } from "./docker-fixture.ts"

describe("an allow-list on docker", () =>
  attackAllowList(async (dialer) => {
    const docker = await openDocker()
    return {
      host: docker.host({ dialer }),
      [Symbol.asyncDispose]: () => docker[Symbol.asyncDispose](),
    }
  }))
