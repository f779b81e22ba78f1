import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { builtPackage, commandLine } from "../support/built-package.ts"
import { startModelWire } from "../support/model-wire/start-model-wire.ts"
import { runCli } from "./run-cli.ts"

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-trace-"))
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface OtlpSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string }
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** Takes spans as a collector of OpenTelemetry does. */
async function startCollector() {
  const requests: { readonly path: string | undefined; readonly body: OtlpRequest }[] = []
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url, body: JSON.parse(await text(request)) })
    response.setHeader("content-type", "application/json").end("{}")
  })
  return { url: await listen(server), requests }
}

/** Runs a task in which the model calls one tool. */
async function run(environment: NodeJS.ProcessEnv, main = commandLine) {
  const wire = await startModelWire(
    { parts: [{ call: "shell_exec", arguments: JSON.stringify({ command: "echo SECRET" }) }] },
    { parts: [{ text: "The end." }] },
  )
  onTestFinished(() => wire[Symbol.asyncDispose]())
  const options = {
    ...{ home: makeDirectory(), cwd: makeDirectory(), main },
    environment: { TOOLKEEP_MODEL: `${wire.url}/compatible/v1#test`, ...environment },
  }
  return runCli(["run", "--host", "memory", "--session", "demo", "SECRET task"], options)
}

const done = { exitCode: 0, stdout: "The end.\n" }

it("Y16.events, F20.events: toolkeep run sends the spans of a run to the collector that OpenTelemetry's variables name, without what was said", async () => {
  const { url, requests } = await startCollector()
  const result = await run({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  })
  expect(result).toMatchObject(done)
  expect(result.stderr).not.toContain("collector")
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]))
  const sent = requests.flatMap(({ body }) => body.resourceSpans)
  const attributes = sent[0]?.resource.attributes.map(({ key, value }) => [key, value.stringValue])
  expect(Object.fromEntries(attributes ?? [])).toMatchObject({
    "service.name": "toolkeep",
    "deployment.environment.name": "test",
  })
  const spans = sent.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const root = spans.find(({ name }) => name === "invoke_agent")
  expect(root?.parentSpanId).toBeUndefined()
  const children = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
  expect(children.map(({ name }) => name)).toEqual([
    ...["chat test", "execute_tool shell.exec", "chat test"],
  ])
  expect(spans).toHaveLength(4)
  const told = JSON.stringify(requests)
  expect(told).toContain('"gen_ai.conversation.id","value":{"stringValue":"demo"}')
  expect(told).not.toContain("SECRET")
})

it("Y16.events: what is said is in the spans where the variable for it says so, and nothing is sent where the SDK is disabled", async () => {
  const { url, requests } = await startCollector()
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = `${url}/own/path`
  const disabled = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED: "true" }
  expect(await run(disabled)).toMatchObject(done)
  expect(requests).toEqual([])
  const asked = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  }
  expect(await run(asked)).toMatchObject(done)
  expect(requests[0]?.path).toBe("/own/path")
  expect(JSON.stringify(requests)).toContain("SECRET task")
})

it("Y16.events: a collector that does not answer fails no run, and the end of a run does not wait for it", async () => {
  const url = await listen(createServer(() => {}))
  const result = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  expect(result).toMatchObject(done)
  expect(result.stderr).toContain(
    "toolkeep: not all spans reached the collector: it did not answer within 2 s\n",
  )
})

it("Y16.events, C11: where a package for spans is missing, the run goes on and says which command installs it", async () => {
  const directory = makeDirectory()
  cpSync(join(builtPackage, "dist"), join(directory, "dist"), { recursive: true })
  cpSync(join(builtPackage, "package.json"), join(directory, "package.json"))
  mkdirSync(join(directory, "node_modules"))
  const installed = join(repositoryRoot, "node_modules")
  for (const name of readdirSync(installed).filter((one) => one !== "@opentelemetry")) {
    symlinkSync(join(installed, name), join(directory, "node_modules", name))
  }
  const main = join(directory, "dist/cli/main.js")
  const result = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, main)
  expect(result).toMatchObject(done)
  expect(result.stderr).toContain(
    "toolkeep: this run is not traced. Tracing needs @opentelemetry/api and @opentelemetry/exporter-trace-otlp-http and @opentelemetry/resources and @opentelemetry/sdk-trace: run `npm install @opentelemetry/api@1.10 @opentelemetry/exporter-trace-otlp-http@0.301 @opentelemetry/resources@3.1 @opentelemetry/sdk-trace@3.1`.\n",
  )
})
