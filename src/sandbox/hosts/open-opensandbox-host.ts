import type { Host } from "../host/host.ts"
import type { OpenSandboxHostOptions } from "./opensandbox/opensandbox-host.ts"

/** `openSandboxHost`, loaded where it is used: most processes have another host. */
export async function openOpenSandboxHost(options: OpenSandboxHostOptions): Promise<Host> {
  const { openSandboxHost } = await import("./opensandbox/opensandbox-host.ts")
  return openSandboxHost(options)
}
