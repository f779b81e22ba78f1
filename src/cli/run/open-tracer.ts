import type { AgentOptions } from "../../agent/index.ts"
import { errorText, withTimeout } from "../../kit/index.ts"
import { packageProblem } from "../../node/index.ts"
import { version } from "../../session/index.ts"

/** How long the last spans of a run may take on their way. */
const flushMs = 2_000

interface RunTracer extends AsyncDisposable {
  readonly options: Pick<AgentOptions, "tracer" | "traceContent">
}

const off: RunTracer = { options: {}, async [Symbol.asyncDispose]() {} }

/** Sends the spans of a run to the collector that OpenTelemetry's variables name. Nothing that it does fails the run. */
export async function openTracer(note: (text: string) => void): Promise<RunTracer> {
  const { env } = process
  const address = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!address || /^true$/i.test(env.OTEL_SDK_DISABLED ?? "")) return off
  const problem = packageProblem("Tracing", [
    ...(["@opentelemetry/api", "@opentelemetry/exporter-trace-otlp-http"] as const),
    ...(["@opentelemetry/resources", "@opentelemetry/sdk-trace"] as const),
  ])
  if (problem !== null) {
    note(`toolkeep: this run is not traced. ${problem}\n`)
    return off
  }
  try {
    return await startTracer(note)
  } catch (error) {
    note(`toolkeep: this run is not traced: ${errorText(error)}\n`)
    return off
  }
}

async function startTracer(note: (text: string) => void): Promise<RunTracer> {
  const [{ TracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ])
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "toolkeep", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  const asked = process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? ""
  return {
    options: {
      tracer: provider.getTracer("toolkeep", version),
      traceContent: /^(true|span_only|span_and_event)$/i.test(asked),
    },
    async [Symbol.asyncDispose]() {
      const problem = await withTimeout(
        provider.shutdown().then(() => null, errorText),
        flushMs,
        { otherwise: () => `it did not answer within ${flushMs / 1000} s` },
      )
      if (problem !== null) note(`toolkeep: not all spans reached the collector: ${problem}\n`)
    },
  }
}
