import type { Envelope, ResultImage, Success } from "../../contract/index.ts"
import {
  answerCall,
  type EndedCall,
  imagesAfter,
  type ProviderCalls,
  type ProviderFormat,
  readCall,
  type TurnAnswer,
} from "./provider-answers.ts"

/** Answers a model's tool calls: takes them as the provider's API gives them, answers as that API takes it back. */
export interface AnswerCalls<Options> {
  <Format extends ProviderFormat>(
    asked: { readonly for: Format; readonly call: ProviderCalls[Format]["call"] },
    options?: Options,
  ): Promise<ProviderCalls[Format]["answer"]>
  /** All calls of one turn, which run at the same time; the answers are in the order in which to send them. */
  <Format extends ProviderFormat>(
    asked: { readonly for: Format; readonly calls: readonly ProviderCalls[Format]["call"][] },
    options?: Omit<Options, "id">,
  ): Promise<TurnAnswer<Format>[]>
}

export interface AnswerDeps<Options> {
  readonly start: (
    tool: string,
    input: unknown,
    options?: Options,
  ) => { readonly envelope: Promise<Envelope> }
  readonly show: (envelope: Success) => string
  readonly forModel: (envelope: Envelope) => Envelope
  /** The images that an answer names. */
  readonly images: (envelope: Envelope) => Promise<readonly ResultImage[]>
}

type Asked<Format extends ProviderFormat> = { readonly for: Format } & (
  | { readonly call: ProviderCalls[Format]["call"] }
  | { readonly calls: readonly ProviderCalls[Format]["call"][] }
)

export function createAnswers<Options>(deps: AnswerDeps<Options>): AnswerCalls<Options> {
  const { start, show, images, forModel } = deps
  async function end<Format extends ProviderFormat>(
    format: Format,
    call: ProviderCalls[Format]["call"],
    options?: Options,
  ): Promise<EndedCall<Format>> {
    const { name, input } = readCall(format, call)
    const envelope = await start(name, input, options).envelope
    return { call, envelope: forModel(envelope), images: await images(envelope) }
  }

  async function answer<Format extends ProviderFormat>(asked: Asked<Format>, options?: Options) {
    const { for: format } = asked
    if ("call" in asked) return answerCall(format, await end(format, asked.call, options), show)
    const ended = await Promise.all(asked.calls.map((call) => end(format, call, options)))
    const answers = ended.map((one) => answerCall(format, one, show))
    return format === "openai" ? [...answers, ...imagesAfter(ended as never)] : answers
  }
  return answer as AnswerCalls<Options>
}
