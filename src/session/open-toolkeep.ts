import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import {
  callLimits,
  configLimits,
  type DiskSettings,
  diskSettings,
  type LimitSettings,
  limitSettings,
  type PolicyConfig,
  type Settings,
  storeAddress,
} from "../config/index.ts"
import {
  type AsTool,
  asTool,
  DefinitionError,
  type Network,
  type Tool,
  type ToolObject,
} from "../contract/index.ts"
import type { DialectTable } from "../dialects/index.ts"
import { type Clock, systemClock } from "../kit/index.ts"
import { runtimeProblem } from "../node/index.ts"
import { checkNames, createPolicy, type Policy, policyOfProfile } from "../policy/index.ts"
import type { Approver } from "../runtime/index.ts"
import { type Host, type Pool, type PreviewHub, type WarmHost, warmHost } from "../sandbox/index.ts"
import {
  openRecord,
  type PostgresPlace,
  postgresRecord,
  type RecordReader,
  type RecordStore,
} from "../store/index.ts"
import { agentToolNames, catalogue, createWorkPool } from "../tools/index.ts"
import { createSession } from "./create-session.ts"
import { directoryName } from "./directory-name.ts"
import { createHomeTotal } from "./home-total.ts"
import type { ImageSources } from "./image-sources.ts"
import { openHost, toolkeepHome } from "./open-host.ts"
import { prepareHome } from "./prepare-home.ts"
import { recordFile } from "./record/home-record.ts"
import { openSessionRecord } from "./record/open-session-record.ts"
import { visibleSessions } from "./record/visible-sessions.ts"
import type { Session } from "./session.ts"
import type { Defer } from "./tools/shown-tools.ts"
import type { OpenToolSource } from "./tools/tool-source.ts"

type OwnTools = readonly (Tool | ToolObject)[]

export interface ToolkeepOptions<Own extends OwnTools = OwnTools> {
  /** "auto", the name of a host, or a host of your own. */
  readonly host?: string | Host
  /** For the local host: the directory to work in. */
  readonly directory?: string
  /**
   * For the bubblewrap host: the images sandboxes can use, by name. "host" for this machine's own
   * programs, or the path of a root file system or of an image's file.
   */
  readonly images?: ImageSources
  /** A profile's name, or a whole policy. Everything is allowed when absent. */
  readonly policy?: string | PolicyConfig
  /** Asks a person when the policy says so; a call can bring another (`approve` of its options). */
  readonly approve?: Approver
  /** Your own tools, beside the canonical ones. */
  readonly tools?: Own
  /**
   * The words in which models see and call the canonical tools: the name of a built-in dialect ("flue", "osaurus",
   * "cloudflare", "openrath", "flynn") or a table. Your own tools and bridged ones keep their names beside it.
   */
  readonly dialect?: string | DialectTable | undefined
  readonly clock?: Clock
  /** Sessions outlive this process: who opens one of the same name again finds its sandboxes. */
  readonly durable?: boolean
  /**
   * Where sessions are recorded: true for a file in the home or the `store` of the policy, `{ url }` or `{ pool }` for PostgreSQL
   * (`pool` is one of `pg` that you have), or a store of your own. As `durable` when absent. A recorded session can be listed,
   * shown, followed, replayed, and continued after a crash.
   */
  readonly record?: boolean | PostgresPlace | RecordStore
  /**
   * Whether it is looked at what each call did in its sandbox: files, network, processes, memory. Each call then has an
   * event `call-effects`, and an entry of that kind where it is recorded. The record also says what happened to
   * sandboxes, and what commands in them tried to reach.
   */
  readonly effects?: boolean
  /** Where Toolkeep keeps what it makes; `TOOLKEEP_HOME` or a place of the user's own when absent. */
  readonly home?: string
  /** After `session.startTurn()`: how many calls that run commands one turn may make. */
  readonly commandsPerTurn?: number
  /** What web and browser tools may reach, and services for search and models. The policy's own when absent. */
  readonly settings?: Settings
  /** What a session, and all that this Toolkeep keeps, may take of the disk. */
  readonly disk?: DiskSettings
  /** How much a call may answer with, and how long it may take. The policy's own when absent. */
  readonly limits?: LimitSettings
  /**
   * What commands in a sandbox may reach when nothing is said for it, and the most that any sandbox may be
   * given: more is refused. The host's default, and no bound, when absent.
   */
  readonly network?: Network
  /**
   * Whether a model is shown the default tools only, and finds the others with tools.search. "auto" when
   * absent: where more than 40 are visible.
   */
  readonly defer?: Defer
  /** Tools that come later, such as those of bridged MCP servers: `bridgeServers(config)`. */
  readonly sources?: readonly OpenToolSource[]
  /**
   * How many default sandboxes are made in advance, while no call runs, so that a session's first command does not wait
   * for its sandbox; where the host can do that. Those with an image, mounts, limits, a snapshot or the machine's network, and on
   * docker durable ones, are made when they are asked for. 0 when absent.
   */
  readonly warm?: number
  /** Where servers inside sandboxes are shown to browsers, for all sessions; each has a server of its own when absent. */
  readonly previewHub?: PreviewHub
  /** Hears what may be a mistake in the policy, such as a tool that is not there yet. Node's own warning when absent. */
  readonly onWarning?: (message: string) => void
}

export interface SessionOptions {
  /**
   * Whose memory `memory.*` works on, by a name: apart from that of every other name. When absent, that of
   * the user who runs Toolkeep, which all sessions share, as they do where the settings say `memory: { shared: true }`.
   */
  readonly memory?: string | undefined
  /** Whether its sandboxes outlive this process, where the host can store them; as Toolkeep was opened when absent. */
  readonly durable?: boolean | undefined
  /** Whether it is recorded; as it is durable when absent. */
  readonly record?: boolean | undefined
}

export interface Toolkeep<Own extends Tool = Tool> extends AsyncDisposable {
  readonly host: Host
  /** Why this host was chosen, in a sentence. */
  readonly why: string
  /** Where no host with real programs works: why, and what to do about it. */
  readonly fallback: string | null
  /** The session of this name, made on first use with these options. Sessions share no sandbox. */
  session(name?: string, options?: SessionOptions): Session<Own>
  /** Reads the record of a session, whichever process writes it; null where none of this name was recorded. */
  recorded(name: string): Promise<RecordReader | null>
  /** The sessions that are open. */
  sessions(): readonly Session<Own>[]
  close(): Promise<void>
}

/** Opens Toolkeep: a host for sandboxes, a policy, and sessions that call tools. */
export async function openToolkeep<const Own extends OwnTools = readonly []>(
  options: ToolkeepOptions<Own> = {},
): Promise<Toolkeep<AsTool<Own[number]>>> {
  const problem = runtimeProblem(process.versions)
  if (problem !== null) throw new Error(problem)
  const tools = (options.tools ?? []).map(asTool)
  const { host: wanted = "auto", directory, images } = options
  const home = resolve(options.home ?? toolkeepHome())
  prepareHome(home)
  const { host, why, fallback } =
    typeof wanted === "string"
      ? await openHost(wanted, { directory, home, images })
      : { host: wanted, why: "it was given", fallback: null }
  const policy = readPolicy(options.policy ?? "full")
  if (typeof options.policy === "object") warnOfNames(options.policy, tools, options.onWarning)
  const settings =
    options.settings ?? (typeof options.policy === "object" ? options.policy : undefined)
  const openVocabulary = await readDialect(options.dialect, host)
  const sessions = new Map<string, Session>()
  const isBusy = () => [...sessions.values()].some((session) => session.running().length > 0)
  const warm = keepWarm(host, options, isBusy)
  const work = createWorkPool()
  const held = callLimits(options.limits ?? limitSettings(options.policy))
  const disk = options.disk ?? diskSettings(options.policy)
  const records = chooseRecord(options, home)
  const homeTotal = createHomeTotal({
    home,
    mostBytes: disk.totalBytes ?? configLimits.totalDiskBytes,
    added: () =>
      [...sessions.values()].reduce((sum, session) => sum + session.sandboxes.disk.used(), 0),
  })

  /** One that has ended is forgotten, so that the name is free and nothing is held. */
  function open(name: string, asked: SessionOptions, child?: OpenedChild): Session {
    const { memory } = asked
    const isDurable =
      asked.durable === undefined ? options.durable : asked.durable && host.can.durable
    const isRecorded = asked.record ?? asked.durable ?? options.record ?? options.durable ?? false
    const directory = isDurable ? join(home, "sessions", directoryName(name)) : undefined
    const { clock = systemClock } = options
    const made = createSession({
      ...options,
      ...(isRecorded && {
        openRecord: async () => {
          const parent = await child?.parent()
          return openSessionRecord(await records.open(), name, { clock, parent })
        },
        sessions: visibleSessions({
          ...{ open: records.open, home, session: name },
          isPrivate: memory !== undefined && !settings?.memory?.shared,
        }),
      }),
      openChild(parent, { name: childName, call, sandboxes, cwd }) {
        const session = open(childName, asked, {
          cwd: cwd ?? parent.cwd,
          sharedPool: sandboxes === "shared" ? parent.pool : undefined,
          async parent() {
            const { id } = (await parent.record?.()) ?? {}
            return id === undefined ? undefined : { session: id, call }
          },
        })
        sessions.set(childName, session)
        return session
      },
      ...(child && { cwd: child.cwd, sharedPool: child.sharedPool }),
      ...{
        name,
        tools,
        home,
        memory,
        directory,
        host: warm ?? host,
        policy,
        settings,
        work,
        disk,
        callLimits: held,
        homeTotal,
        openVocabulary,
      },
    })
    const ending = (end: () => Promise<void>) => () => {
      if (sessions.get(name) === session) sessions.delete(name)
      return end()
    }
    const endNow = ending(made.close)
    const session: Session = {
      ...made,
      close: endNow,
      destroy: ending(made.destroy),
      [Symbol.asyncDispose]: endNow,
    }
    return session
  }
  async function close(): Promise<void> {
    const all = [...sessions.values()]
    sessions.clear()
    await Promise.all([warm?.close(), ...all.map((session) => session.close())])
    await records.close()
  }

  return {
    host,
    why,
    fallback,
    session(name = "default", sessionOptions = {}) {
      const session = sessions.get(name) ?? open(name, sessionOptions)
      sessions.set(name, session)
      return session
    },
    recorded: records.read,
    sessions: () => [...sessions.values()],
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The host with sandboxes that are ready; null where it can't have them, or nobody would be given one. */
function keepWarm(host: Host, options: ToolkeepOptions, isBusy: () => boolean): WarmHost | null {
  const { warm = 0, clock = systemClock, durable = false, network } = options
  const most = configLimits.warmSandboxesMost
  if (!Number.isInteger(warm) || warm < 0 || warm > most) {
    throw new DefinitionError(`\`warm\` has to be a whole number from 0 to ${most}.`)
  }
  const isOfUse = warm > 0 && network?.kind !== "full"
  const canUse = host.canPrepare === "kept" || (host.canPrepare === "temporary" && !durable)
  return isOfUse && canUse ? warmHost(host, { sandboxes: warm, clock, isBusy }) : null
}

/** What a child session has of its parent. */
interface OpenedChild {
  readonly cwd: string | undefined
  readonly sharedPool: Pool | undefined
  readonly parent: () => Promise<{ readonly session: string; readonly call: string } | undefined>
}

/** A store of the caller's own is the caller's to close. */
function chooseRecord({ record, clock, policy }: ToolkeepOptions, home: string) {
  if (typeof record === "object" && "open" in record) {
    return { open: async () => record, read: record.read, close: async () => {} }
  }
  const store = storeAddress(policy, process.env)
  const named = store === null ? null : { url: store }
  const postgres = typeof record === "object" ? record : named
  const openOne = () =>
    postgres
      ? postgresRecord({ ...postgres, clock })
      : openRecord({ file: recordFile(home), clock })
  let opened: Promise<RecordStore> | null = null
  const open = () => {
    opened ??= openOne().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    open,
    /** Creates no file. */
    read: async (name: string) =>
      postgres || existsSync(recordFile(home)) ? (await open()).read(name) : null,
    close: async () => (await opened?.catch(() => null))?.close(),
  }
}

/** Loaded only where one is asked for. */
async function readDialect(dialect: string | DialectTable | undefined, { can }: Host) {
  if (dialect === undefined) return undefined
  const { openDialect } = await import("../dialects/index.ts")
  return openDialect(dialect, can.home)
}

/** Throws for names that mean nothing; those that may come to mean something are reported. */
function warnOfNames(
  policy: PolicyConfig,
  own: readonly Tool[],
  onWarning: (message: string) => void = warn,
): void {
  const known = { tools: catalogue(), own, agentTools: agentToolNames }
  for (const warning of checkNames(policy, known)) onWarning(warning)
}

function warn(message: string): void {
  process.emitWarning(message, "ToolkeepWarning")
}

function readPolicy(policy: string | PolicyConfig): Policy {
  return typeof policy === "string" ? policyOfProfile(policy) : createPolicy(policy)
}
