import { readFile } from "node:fs/promises"
import type { InferenceSession, Tensor } from "onnxruntime-web"
import { speechRate } from "./resampler.ts"

/** Writes down the words in at most half a minute of sound. */
export type Listen = (samples: Float32Array) => Promise<string>

const layers = 6
const heads = 8
const headSize = 36
const startToken = 1
const endToken = 2
/** Faster than anybody speaks; a model that repeats itself ends there. */
const tokensPerSecond = 6.5
const leastTokens = 8
/** Shorter sounds are followed by silence. */
const leastSamples = speechRate / 2
const roomLevel = 0.001

/** Loads Moonshine tiny, whose weights come with its package. */
export async function openMoonshine(): Promise<Listen> {
  const [ort, { default: tokenizer }] = await Promise.all([
    import("onnxruntime-web"),
    import("llama-tokenizer-js"),
  ])
  // More threads would be further workers, and the machine's processors are not all ours.
  ort.env.wasm.numThreads = 1
  const weights = new URL(
    "./model/tiny/quantized/",
    import.meta.resolve("@usefulsensors/moonshine-js"),
  )
  const load = async (name: string) =>
    ort.InferenceSession.create(await readFile(new URL(name, weights)), {
      executionProviders: ["wasm"],
    })
  const encoder = await load("encoder_model.onnx")
  const decoder = await load("decoder_model_merged.onnx")

  return async (samples) => {
    const sound = inRoom(samples)
    const input = new ort.Tensor("float32", sound, [1, sound.length])
    const { last_hidden_state: heard } = await encoder.run({ input_values: input })
    if (!heard) throw new Error("the speech model gave no output")
    const most = Math.max(leastTokens, Math.ceil((sound.length / speechRate) * tokensPerSecond))
    const tokens = await speak({ ort, decoder, heard }, most)
    return tokenizer.decode([startToken, ...tokens]).trim()
  }
}

interface Decoding {
  readonly ort: typeof import("onnxruntime-web")
  readonly decoder: InferenceSession
  readonly heard: Tensor
}

/** Token after token, each the likeliest after those before it. */
async function speak({ ort, decoder, heard }: Decoding, most: number): Promise<readonly number[]> {
  const tokens: number[] = []
  let memory = emptyMemory(ort)
  while (tokens.length < most) {
    const isFirst = tokens.length === 0
    const last = BigInt(tokens.at(-1) ?? startToken)
    const output = await decoder.run({
      input_ids: new ort.Tensor("int64", BigInt64Array.of(last), [1, 1]),
      encoder_hidden_states: heard,
      use_cache_branch: new ort.Tensor("bool", [!isFirst], [1]),
      ...memory,
    })
    const token = likeliest(output.logits?.data as Float32Array)
    if (token === endToken) break
    tokens.push(token)
    memory = nextMemory(memory, output, isFirst)
  }
  return tokens
}

type Memory = Readonly<Record<string, Tensor>>

function emptyMemory(ort: Decoding["ort"]): Memory {
  const names = Array.from({ length: layers }, (_, layer) =>
    ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map(
      (part) => `past_key_values.${layer}.${part}`,
    ),
  ).flat()
  const empty = () => new ort.Tensor("float32", new Float32Array(), [0, heads, 1, headSize])
  return Object.fromEntries(names.map((name) => [name, empty()]))
}

/** What concerns the sound stays as the first step made it. */
function nextMemory(memory: Memory, output: InferenceSession.ReturnType, isFirst: boolean): Memory {
  const entries = Object.entries(memory).map(([name, before]): [string, Tensor] => {
    const present = output[name.replace("past_key_values", "present")]
    const isKept = !isFirst && name.includes(".encoder.")
    return [name, isKept || !present ? before : (present as Tensor)]
  })
  return Object.fromEntries(entries)
}

function likeliest(logits: Float32Array): number {
  let best = 0
  for (let index = 1; index < logits.length; index += 1) {
    if ((logits[index] ?? 0) > (logits[best] ?? 0)) best = index
  }
  return best
}

/** The sound as in a quiet room: perfect silence around words is nothing that the model ever heard. */
function inRoom(samples: Float32Array): Float32Array {
  const sound = new Float32Array(Math.max(samples.length, leastSamples))
  sound.set(samples)
  // The same noise each time, so that the same recording gives the same words.
  let state = 1
  return sound.map((sample) => {
    state = (state * 48_271) % 2_147_483_647
    return sample + (state / 2_147_483_647 - 0.5) * 2 * roomLevel
  })
}
