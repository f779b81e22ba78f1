import type { Tool } from "../contract/index.ts"
import type { PathStart } from "./path-forms.ts"

/** What policy looks at in a tool. */
export type JudgedTool = Pick<Tool, "name" | "groups" | "effects"> &
  Partial<Pick<Tool, "pathArguments" | "paths">>

/** Who wants to use a tool. */
export interface Asker {
  readonly agent?: string | undefined
  /** Whose model asks: "anthropic", "openai", ... */
  readonly provider?: string | undefined
}

export interface Asked extends Asker {
  readonly tool: JudgedTool
  /** The arguments, repaired and checked. */
  readonly input: unknown
  /** From where its paths start; "/home/user" when absent. */
  readonly start?: PathStart | undefined
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
}

export type RuleSource =
  | "profile"
  | "agent"
  | "provider"
  | "argument"
  | "hook"
  | "autonomy"
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

/** `log` allows and writes it down; `depends` waits for arguments; `nothing` leaves it as it was. */
export type Says = "allow" | "log" | "ask" | "deny" | "depends" | "nothing"
