import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, it } from "vitest"
import { openToolkeep } from "../index.ts"

it("Y3: what Gemini is shown of every tool allows the tool's own example", async () => {
  await using keep = await openToolkeep({ host: "local" })
  const session = keep.session()
  const declared = session.tools({ for: "gemini", all: true })
  expect(declared.length).toBeGreaterThan(35)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const { name, description, parametersJsonSchema } of declared) {
    const [, example] = /Example: (\{.*\})\.?$/.exec(description) ?? []
    expect(example, `the example of ${name}`).toBeDefined()
    const matches = ajv.compile(parametersJsonSchema)
    matches(JSON.parse(example ?? ""))
    expect(matches.errors, name).toBeNull()
  }
})
