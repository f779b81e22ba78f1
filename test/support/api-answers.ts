import { Ajv2020 } from "ajv/dist/2020.js"
import { openApi } from "../../src/http/server/open-api.ts"

/** Holds every answer against the document that the server gives out at /openapi.json. */
export interface CheckedAnswers {
  /** Notes an answer that the document does not describe. Whatever is not JSON of the API passes. */
  check(answer: Answer): void
  readonly fetch: typeof fetch
  /** What was noted. */
  problems(): Promise<readonly string[]>
}

export interface Answer {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  readonly text: () => Promise<string>
}

const ajv = new Ajv2020({ strict: false })

const operations = Object.entries(openApi().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    responses: Object(operation).responses,
  })),
)

export function checkAnswers(): CheckedAnswers {
  const found: string[] = []
  const checks = new Set<Promise<void>>()

  async function validate({ method, url, status, text }: Answer): Promise<void> {
    const { pathname } = new URL(url)
    const operation = operations.find((one) => one.method === method && one.path.test(pathname))
    if (!operation) return
    const described = operation.responses[status] ?? operation.responses.default
    const schema = described.content["application/json"]?.schema
    const body = JSON.parse(await text())
    if (schema && ajv.validate(schema, body)) return
    found.push(`${method} ${pathname} answered ${status}: ${ajv.errorsText()}`)
  }
  function check(answer: Answer): void {
    if (!answer.mediaType.startsWith("application/json")) return
    // The text of an answer is gone with the page that asked for it.
    const checked = validate(answer).catch((error: Error) => {
      if (error instanceof SyntaxError) found.push(String(error))
    })
    checks.add(checked)
    void checked.finally(() => checks.delete(checked))
  }
  return {
    check,
    async fetch(input, init) {
      const response = await fetch(input, init)
      const copy = response.clone()
      check({
        ...{ method: init?.method ?? "GET", url: String(input), status: response.status },
        mediaType: response.headers.get("content-type") ?? "",
        text: () => copy.text(),
      })
      return response
    },
    async problems() {
      await Promise.all(checks)
      return found
    },
  }
}
