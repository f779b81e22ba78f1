import type { Tool } from "../contract/index.ts"
import type { Grant } from "./grants.ts"

/** What policy looks at in a tool. */
export type JudgedTool = Pick<Tool, "name" | "groups" | "effects"> &
  Partial<Pick<Tool, "inputSchema" | "pathArguments" | "paths" | "sandbox">>

/** On whose behalf a tool is used. */
export interface Caller {
  readonly agent?: string | undefined
  /** The provider of the model that makes the call: "anthropic", "openai", ... */
  readonly provider?: string | undefined
}

/** A call that policy decides on. */
export interface PolicyQuery extends Caller {
  readonly tool: JudgedTool
  /** The arguments, repaired and checked. */
  readonly input: unknown
  /** Where relative paths start; "/home/user" when absent. */
  readonly start?: PathStart | undefined
  /** The sandbox that it is for, also where its arguments name none. */
  readonly sandbox?: string | undefined
  /** What a person has allowed for the session; only an explanation looks at it. */
  readonly grants?: readonly Grant[] | undefined
}

/** Where the paths of a call start. */
export interface PathStart {
  /** The sandbox's home. */
  readonly home: string
  /** The base of relative paths; the home when absent. */
  readonly cwd?: string | undefined
}

/** Which rule decided, as data. */
export interface Rule {
  readonly source: RuleSource
  /** For people: `profile coding denies group:runtime`. */
  readonly text: string
  /** The reason that its author gave. */
  readonly because?: string
  /** How a person can allow what it denies. */
  readonly remedy?: string
  /** Where it stands in the policy file, when it came from one. */
  readonly line?: number
  readonly file?: string
}

export type RuleSource =
  | "profile"
  | "agent"
  | "provider"
  | "argument"
  | "hook"
  | "autonomy"
  | "grant"
  | "caller"
  | "default"

export type Verdict =
  | { readonly kind: "allow"; readonly log: boolean; readonly rule: Rule }
  | { readonly kind: "deny"; readonly rule: Rule; readonly message: string }
  | { readonly kind: "ask"; readonly rule: Rule; readonly prompt: string }

/** Every stage in its order, what it said, and which one decided. */
export interface Explanation {
  readonly verdict: Verdict
  /** The verdict is for arguments that no rule matches, because none were given. */
  readonly dependsOnArguments: boolean
  readonly steps: readonly Step[]
}

/** What one stage says, before it is known whether it decides. */
export interface Draft {
  readonly stage: Stage
  readonly says: Says
  readonly rule: Rule
}

export interface Step extends Draft {
  readonly decided: boolean
}

/** What a list of tools says of one tool. */
export interface Opinion {
  readonly says: "allow" | "deny" | "nothing"
  readonly rule: Rule
}

export type Stage =
  | "profile allow"
  | "profile deny"
  | "agent"
  | "provider"
  | "arguments"
  | "hooks"
  | "autonomy"
  | "grants"

/** `log` allows and writes it down; `depends` waits for arguments; `nothing` leaves it as it was. */
export type Says = "allow" | "log" | "ask" | "deny" | "depends" | "nothing"

/** The same explanation, whose rules with a line also name the file. */
export function locateRules(explanation: Explanation, file: string | undefined): Explanation {
  if (file === undefined) return explanation
  const located = (rule: Rule): Rule =>
    rule.line === undefined ? rule : Object.freeze({ ...rule, file })
  const { verdict, steps } = explanation
  return {
    ...explanation,
    verdict: { ...verdict, rule: located(verdict.rule) },
    steps: steps.map((step) => ({ ...step, rule: located(step.rule) })),
  }
}

interface RuleDetails {
  readonly because?: string | undefined
  readonly remedy?: string | undefined
  readonly line?: number | undefined
}

/** Leaves out what is not there, so that rules compare and print as plain data. */
export function createRule(source: RuleSource, text: string, details: RuleDetails = {}): Rule {
  const { because, remedy, line } = details
  return Object.freeze({
    source,
    text,
    ...(because === undefined ? {} : { because }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(line === undefined ? {} : { line }),
  })
}
