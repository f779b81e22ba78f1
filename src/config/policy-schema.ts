export const text = { type: "string", minLength: 1 } as const
export const textList = { type: "array", items: text } as const

const patterns = {
  ...textList,
  description:
    'Tool names ("shell.exec"), patterns ("file.*", "mcp:github:*", "*") and groups ("group:fs").',
  examples: [["file.*", "group:web"]],
} as const

const toolLists = {
  allow: { ...patterns, description: `Tools to allow. ${patterns.description}` },
  deny: { ...patterns, description: `Tools to deny. ${patterns.description}` },
} as const

const profileName = {
  ...text,
  description: "The profile: minimal, messaging, coding, full, or one of tools.profiles.",
  examples: ["coding"],
} as const

const autonomy = {
  type: "string",
  enum: ["conservative", "standard", "autonomous"],
  description:
    "conservative asks before every write, command and network access; standard follows the hooks; " +
    "autonomous logs where a hook would ask.",
} as const

const rule = {
  type: "object",
  properties: {
    deny: { ...text, description: "Deny this tool.", examples: ["shell.exec"] },
    ask: {
      ...text,
      description: "Ask a person first, at every level of autonomy.",
      examples: ["git.push"],
    },
    allow: {
      ...text,
      description: "Run without asking, even if a hook would ask. Does not override a denial.",
      examples: ["shell.exec"],
    },
    when: {
      type: "object",
      minProperties: 1,
      additionalProperties: text,
      description:
        "Arguments and the regular expressions that they must match. All of them must match. An expression matches " +
        "anywhere unless it uses ^ and $, and may start with (?i), (?s) or (?m). The field path stands for every " +
        'path of a call: each is compared relative to the home ("docs/x") and absolute ("/home/user/docs/x"), ' +
        "however it is written.",
      examples: [{ command: "\\brm\\b" }, { "edits[].path": "^/etc/" }],
    },
    because: {
      ...text,
      description: "The reason, shown to the model and to people.",
      examples: ["Ask for a review instead."],
    },
  },
  required: ["when"],
  // Inside allOf because a type can't be inferred from these bare branches.
  allOf: [{ oneOf: [needs("deny"), needs("ask"), needs("allow")] }],
  additionalProperties: false,
} as const

/** A branch for objects that have this key. */
export function needs<const Key extends string>(key: Key) {
  return { properties: { [key]: {} }, required: [key] }
}

/** What every agent may use, and when a person is asked. */
export const tools = {
  type: "object",
  description: "Which tools every agent may use, and when a person is asked.",
  properties: {
    policy: { ...profileName, description: `${profileName.description} Default: full.` },
    profiles: {
      type: "object",
      description: "Your own profiles, by name. A built-in name replaces that profile.",
      examples: [{ review: { allow: ["file.read"], deny: [] } }],
      additionalProperties: {
        type: "object",
        properties: toolLists,
        required: ["allow"],
        additionalProperties: false,
      },
    },
    groups: {
      type: "object",
      description:
        "Your own groups of tools, by name. The names fs, runtime, web and memory extend those groups.",
      examples: [{ deploy: ["git.*", "shell.exec"] }],
      additionalProperties: patterns,
    },
    rules: {
      type: "array",
      description:
        "Decisions that depend on a call's arguments. Each rule has one of deny, ask and allow; deny counts before " +
        "ask, and ask before allow.",
      examples: [[{ deny: "shell.exec", when: { command: "\\brm\\b" } }]],
      items: rule,
    },
    hooks: {
      type: "object",
      description: "What happens before an allowed tool runs. The most specific pattern counts.",
      examples: [{ confirm: ["shell.*"], log: ["web.*"] }],
      properties: {
        confirm: { ...patterns, description: "Tools that a person confirms first." },
        log: { ...patterns, description: "Tools that run and are logged." },
        silent: { ...patterns, description: "Tools that run without a log entry." },
      },
      additionalProperties: false,
    },
    autonomy: { ...autonomy, description: `${autonomy.description} Default: standard.` },
  },
  additionalProperties: false,
} as const

export const agents = {
  type: "object",
  description: "Overrides by agent name.",
  examples: [{ "my-agent": { toolPolicy: "full" } }],
  additionalProperties: {
    type: "object",
    properties: {
      toolPolicy: profileName,
      ...toolLists,
      autonomy: { ...autonomy, description: `${autonomy.description} Default: tools.autonomy.` },
    },
    additionalProperties: false,
  },
} as const

export const providers = {
  type: "object",
  description: "Overrides by model provider.",
  examples: [{ anthropic: { deny: ["web.*"] } }],
  additionalProperties: { type: "object", properties: toolLists, additionalProperties: false },
} as const
