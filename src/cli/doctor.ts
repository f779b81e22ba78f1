import type { Host, HostStatus } from "../sandbox/index.ts"
import { hostNames, openHost, version } from "../session/index.ts"
import type { CommandRun } from "./command.ts"
import type { Terminal } from "./terminal.ts"

interface Finding {
  readonly host: Host
  readonly status: HostStatus
}

/** `toolkeep doctor`. */
export const doctor: CommandRun = async (given, terminal) => {
  const findings = await Promise.all(hostNames.map(examine))
  const automatic = await openHost("auto")
  if (given.is("json") || !terminal.forPeople) {
    const hosts = findings.map(({ host, status }) => ({
      host: host.name,
      summary: host.summary,
      status,
      can: host.can,
    }))
    const auto = { host: automatic.host.name, why: automatic.why }
    await terminal.print(
      `${JSON.stringify({ version, node: process.version, auto, hosts }, null, 2)}\n`,
    )
    return 0
  }
  const lines = findings.flatMap((finding) => describe(finding, terminal))
  const head = `toolkeep ${version} on Node ${process.version}`
  const foot = `auto picks ${automatic.host.name}: ${automatic.why}`
  await terminal.print(`${[head, "", ...lines, foot].join("\n")}\n`)
  return 0
}

async function examine(name: string): Promise<Finding> {
  const { host } = await openHost(name)
  return { host, status: await host.probe() }
}

function describe({ host, status }: Finding, terminal: Terminal): string[] {
  const ready = status.kind === "ready"
  const mark = ready ? terminal.style("green", "ready") : terminal.style("red", "not here")
  const why = ready ? [] : [`  ${status.reason} ${status.remedy}`]
  return [
    `${terminal.style("bold", host.name)}  ${mark}`,
    `  ${host.summary}`,
    ...why,
    ...promises(host),
    "",
  ]
}

function promises({ can }: Host): string[] {
  const limit = (value: number | null, unit: (value: number) => string) =>
    value === null ? "no limit" : unit(value)
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  const rows = [
    ["isolation", can.isolation],
    ["networks", can.networks.join(", ")],
    ["memory", limit(can.limits.memoryBytes, megabytes)],
    ["disk", limit(can.limits.diskBytes, megabytes)],
    ["processes", limit(can.limits.processes, String)],
    ["live output", can.liveOutput ? "yes" : "no"],
    ["files outlive the process", can.durable ? "yes" : "no"],
    ["search (ripgrep)", can.ripgrep === null ? "no" : "yes"],
  ]
  return rows.map(([what, value]) => `  ${String(what).padEnd(26)} ${value}`)
}
