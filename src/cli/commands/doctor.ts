import type { Settings } from "../../config/index.ts"
import type { Host, HostStatus } from "../../sandbox/index.ts"
import { type HostPlaces, hostNames, imageSources, openHost, version } from "../../session/index.ts"
import { catalogue } from "../../tools/index.ts"
import type { CommandRun } from "../flags/command.ts"
import { readPolicy } from "../flags/open-session.ts"
import type { Terminal } from "../output/terminal.ts"

interface Finding {
  readonly host: Host
  readonly status: HostStatus
  /** The images its sandboxes can use; none for a host that does not work. */
  readonly images: readonly string[]
}

/** `toolkeep doctor`. */
export const doctor: CommandRun = async (given, terminal) => {
  const policy = await readPolicy(given)
  const places = typeof policy === "string" ? {} : { images: imageSources(policy) }
  const findings = await Promise.all(hostNames.map((name) => examine(name, places)))
  const automatic = await openHost("auto", places)
  const unavailable = unavailableTools(typeof policy === "string" ? {} : policy)
  if (!terminal.forPeople) {
    const hosts = findings.map(({ host, status, images }) => ({
      host: host.name,
      summary: host.summary,
      status,
      images,
      can: host.can,
    }))
    const auto = { host: automatic.host.name, why: automatic.why }
    await terminal.printJson({ version, node: process.version, auto, hosts, unavailable }, 2)
    return 0
  }
  const lines = findings.flatMap((finding) => describe(finding, terminal))
  const head = `toolkeep ${version} on Node ${process.version}`
  const foot = `auto picks ${automatic.host.name}: ${automatic.why}`
  const lacking = unavailable.map(
    ({ tool, message }) => `${terminal.style("bold", tool)}  ${message}`,
  )
  const tools = lacking.length === 0 ? ["Every tool has what it needs."] : lacking
  await terminal.print(`${[head, "", ...lines, ...tools, "", foot].join("\n")}\n`)
  return 0
}

/** The tools that lack a part on this machine, and what to do about it. */
function unavailableTools(settings: Settings) {
  return catalogue({ settings }).flatMap((tool) => {
    const message = tool.unavailableReason()
    return message === null ? [] : [{ tool: tool.name, message }]
  })
}

async function examine(name: string, places: HostPlaces): Promise<Finding> {
  const { host } = await openHost(name, places)
  const status = await host.probe()
  return { host, status, images: status.kind === "ready" ? await host.images() : [] }
}

function describe({ host, status, images }: Finding, terminal: Terminal): string[] {
  const ready = status.kind === "ready"
  const mark = ready ? terminal.style("green", "ready") : terminal.style("red", "not here")
  const why = ready ? (status.detail ?? []) : `${status.reason} ${status.remedy}`
  return [
    `${terminal.style("bold", host.name)}  ${mark}`,
    `  ${host.summary}`,
    ...[why].flat().map((line) => `  ${line}`),
    ...promises(host, images),
    "",
  ]
}

/** An engine can have hundreds. */
const shownImages = 10

function promises({ can }: Host, images: readonly string[]): string[] {
  const more = images.length > shownImages ? [`and ${images.length - shownImages} more`] : []
  const limit = (value: number | null, unit: (value: number) => string) =>
    value === null ? "no limit" : unit(value)
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  const rows = [
    ["isolation", can.isolation],
    ["images", [...images.slice(0, shownImages), ...more].join(", ") || "none"],
    ["networks", can.networks.join(", ")],
    ["memory", limit(can.limits.memoryBytes, megabytes)],
    ["disk", limit(can.limits.diskBytes, megabytes)],
    ["processes", limit(can.limits.processes, String)],
    ["live output", can.liveOutput ? "yes" : "no"],
    ["terminals", can.terminal ? "yes" : "no"],
    ["files outlive the process", can.durable ? "yes" : "no"],
    ["search with", can.ripgrep === null ? "find and grep" : "ripgrep"],
  ]
  return rows.map(([what, value]) => `  ${String(what).padEnd(26)} ${value}`)
}
