import { AsyncLocalStorage } from "node:async_hooks"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Attributes, Context, Tracer } from "@opentelemetry/api"
import { apiNameOf, type Envelope, limits, ToolFailure } from "../contract/index.ts"
import { errorText } from "../kit/index.ts"
import { packageProblem } from "../node/index.ts"
import type { Session } from "../session/index.ts"
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ModelCall,
  UserMessage,
} from "./messages.ts"
import type { AroundRequest, ModelAnswer, ModelRequest } from "./model/index.ts"
import type { AgentOptions, GivenTracer, RunResult } from "./run-options.ts"

/** Turns what happens in runs into spans, by the OpenTelemetry conventions for generative AI. */
export interface Trace {
  run(facts: RunFacts, work: () => Promise<RunResult>): Promise<RunResult>
  /** For each request to the model. */
  request(facts: RequestFacts): AroundRequest
  call(facts: CallFacts, work: () => Promise<Envelope>): Promise<Envelope>
}

interface RunFacts {
  readonly session: Session
  readonly agent: string | undefined
  readonly model: LanguageModelV4
}

interface RequestFacts {
  readonly session: Session
  readonly model: LanguageModelV4
  readonly request: ModelRequest
}

interface CallFacts {
  readonly session: Session
  readonly call: ModelCall
  readonly isParked: (call: string) => boolean
}

interface NewSpan {
  readonly operation: "invoke_agent" | "chat" | "execute_tool"
  /** The agent, the model or the tool. */
  readonly what: string | undefined
  readonly session: Session
  readonly attributes: Attributes
}

/** What a span says when its work is done. */
interface Ending {
  readonly attributes?: Attributes
  readonly error?: { readonly type: string; readonly message: string } | undefined
}

/** The span in which something happens, also where the program has registered no context manager of OpenTelemetry. */
const current = new AsyncLocalStorage<Context>()

export async function openTrace(
  given: GivenTracer,
  { traceContent = false }: Pick<AgentOptions, "traceContent">,
): Promise<Trace> {
  const message = packageProblem("The tracer", ["@opentelemetry/api"])
  if (message !== null) throw new ToolFailure({ kind: "unavailable", message, retryable: false })
  const { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import(
    "@opentelemetry/api"
  )
  const tracer = given as Tracer

  async function inSpan<Result>(
    { operation, what, session, attributes }: NewSpan,
    work: () => Promise<Result>,
    endingOf: (result: Result) => Ending,
  ): Promise<Result> {
    const active = context.active()
    const parent = active === ROOT_CONTEXT ? (current.getStore() ?? active) : active
    const options = {
      kind: operation === "chat" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": operation,
        "gen_ai.conversation.id": session.name,
        ...attributes,
      },
    }
    const name = what === undefined ? operation : `${operation} ${what}`
    const span = tracer.startSpan(name, options, parent)
    const inside = trace.setSpan(parent, span)
    const end = ({ attributes: more = {}, error }: Ending) => {
      span.setAttributes(more)
      if (!error) return
      span.setAttribute("error.type", error.type)
      // A message may quote what was said.
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(traceContent && { message: error.message }),
      })
    }
    try {
      const result = await current.run(inside, () => context.with(inside, work))
      end(endingOf(result))
      return result
    } catch (error) {
      const type = error instanceof Error ? error.name : "_OTHER"
      end({ error: { type, message: errorText(error) } })
      throw error
    } finally {
      span.end()
    }
  }
  /** What only those get who asked for it. */
  const content = (attributes: () => Attributes) => (traceContent ? attributes() : {})

  return {
    run({ session, agent, model }, work) {
      const attributes = {
        ...modelAttributes(model),
        ...(agent !== undefined && { "gen_ai.agent.name": agent }),
      }
      return inSpan({ operation: "invoke_agent", what: agent, session, attributes }, work, endOfRun)
    },
    request({ session, model, request }) {
      const { system, messages, maxOutputTokens } = request
      const attributes = {
        ...modelAttributes(model),
        "gen_ai.request.max_tokens": maxOutputTokens,
        ...content(() => ({
          "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: system }]),
          "gen_ai.input.messages": JSON.stringify(messages.map(messageContent)),
        })),
      }
      return (ask) =>
        inSpan(
          { operation: "chat", what: model.modelId, session, attributes },
          ask,
          ({ answer }) => {
            const { message: said, error } = readAnswer(answer)
            if (!said) return { error }
            const output = { ...messageContent(said), finish_reason: said.finish }
            const more = content(() => ({ "gen_ai.output.messages": JSON.stringify([output]) }))
            return { error, attributes: { ...answerAttributes(said), ...more } }
          },
        )
    },
    call({ session, call, isParked }, work) {
      const what = toolName(session, call)
      const attributes = {
        "gen_ai.tool.name": what,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "function",
        ...content(() => ({ "gen_ai.tool.call.arguments": call.input })),
      }
      return inSpan({ operation: "execute_tool", what, session, attributes }, work, (envelope) => {
        if (isParked(call.id)) return { attributes: { [endAttribute]: "waiting" } }
        if (!envelope.ok) return { error: { type: envelope.kind, message: envelope.message } }
        const { result } = envelope
        return {
          attributes: content(() => ({ "gen_ai.tool.call.result": JSON.stringify(result) })),
        }
      })
    },
  }
}

/** Our own: how a run ended, or that a call waits for a person. The conventions have no attribute for it. */
const endAttribute = "toolkeep.end"

function endOfRun(result: RunResult): Ending {
  const { why } = result
  return {
    attributes: { [endAttribute]: why },
    ...((why === "failed" || why === "aborted") && { error: { type: why, message: result.text } }),
  }
}

function modelAttributes({ provider, modelId }: LanguageModelV4): Attributes {
  const url = provider.includes("://") ? URL.parse(provider) : null
  const name = provider.split(".", 1)[0]
  return {
    // Also for what only speaks OpenAI's API: the address tells those apart.
    "gen_ai.provider.name": url || name === "openai-chat" ? "openai" : name,
    "gen_ai.request.model": modelId,
    ...(url && {
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "http:" ? 80 : 443),
    }),
  }
}

/** The tool's own name, where the model has called one that there is. */
function toolName(session: Session, { tool }: ModelCall): string {
  const names = session.allTools().map(({ name }) => name)
  const known = names.find((name) => name === tool || apiNameOf(name) === tool)
  return known ?? tool.slice(0, limits.quotedCharacters)
}

function readAnswer(answer: ModelAnswer): {
  readonly message?: AssistantMessage | undefined
  readonly error?: Ending["error"]
} {
  switch (answer.kind) {
    case "answered":
      return answer
    case "aborted":
      return {
        message: answer.message,
        error: { type: "aborted", message: "The run was aborted." },
      }
    case "overflow":
      return { error: { type: "overflow", message: answer.message } }
    case "failed": {
      const { kind: type, message } = answer.failure
      return { message: answer.partial?.message, error: { type, message } }
    }
    default:
      return answer satisfies never
  }
}

function answerAttributes({ finish, usage }: AssistantMessage): Attributes {
  return {
    "gen_ai.response.finish_reasons": [finish],
    // An answer that broke off has none.
    ...(usage.input + usage.output > 0 && {
      "gen_ai.usage.input_tokens": usage.input,
      "gen_ai.usage.output_tokens": usage.output,
      "gen_ai.usage.cache_read.input_tokens": usage.cached,
    }),
  }
}

/** A message in the form of the conventions, without its images. */
function messageContent(message: Message): { readonly role: string; readonly parts: object[] } {
  if (message.role === "tool") {
    const parts = message.results.map(({ call, content }) => {
      const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      return { type: "tool_call_response", id: call.id, response: texts.join("\n") }
    })
    return { role: message.role, parts }
  }
  const parts = message.content.flatMap(
    (part: UserMessage["content"][number] | AssistantPart): object[] => {
      switch (part.type) {
        case "text":
        case "reasoning":
          return [{ type: part.type, content: part.text }]
        case "call":
          return [{ type: "tool_call", id: part.id, name: part.tool, arguments: part.input }]
        default:
          return []
      }
    },
  )
  return { role: message.role, parts }
}
