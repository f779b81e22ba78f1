import {
  type Api,
  demand,
  demandFields,
  demandImage,
  demandPairs,
  demandTools,
  type Json,
} from "./api.ts"

const imageTypes = ["image/png", "image/jpeg", "image/webp"]

/** Gemini's generateContent. */
export const geminiApi: Api = {
  path: /^\/v1beta\/models\/[\w.-]+:generateContent$/,
  check(body, headers) {
    demand(headers["x-goog-api-key"], "Method doesn't allow unregistered callers.")
    const declarations: Json[] = (body.tools ?? []).flatMap(
      (tool: Json) => tool.functionDeclarations ?? [],
    )
    for (const declaration of declarations) {
      demandFields(declaration, "name description parameters parametersJsonSchema", "tools")
      checkSchema(declaration.parametersJsonSchema)
    }
    demandTools(
      declarations.map(({ name, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema,
      })),
      /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    )
    let calls: Json[] = []
    for (const { role, parts } of body.contents as readonly Json[]) {
      const responses: Json[] = parts.flatMap((part: Json) => part.functionResponse ?? [])
      demand(responses.length === 0 || role === "user", "function response: only in a user turn")
      demandPairs(
        calls,
        responses.map(({ id, name }) => `${name} ${id}`),
        "contents: function call and function response parts",
      )
      for (const response of responses) checkResponse(response)
      const called: Json[] = parts.flatMap((part: Json) => part.functionCall ?? [])
      calls = called.map(({ id, name }) => `${name} ${id}`)
    }
  },
  answer: (turn, id) => ({
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts:
            "text" in turn
              ? [{ text: turn.text }]
              : turn.calls.map(({ name, input }, index) => ({
                  functionCall: { id: id(index), name, args: input },
                })),
        },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "scripted",
  }),
  refusal: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
}

/** References have nothing beside them and lead into `$defs`; choices are texts or numbers. */
function checkSchema(schema: Json): void {
  if (typeof schema !== "object" || schema === null) return
  if (typeof schema.$ref === "string") {
    demand(Object.keys(schema).length === 1, `$ref '${schema.$ref}' was set alongside other fields`)
    demand(schema.$ref.startsWith("#/$defs/"), `reference to undefined schema ${schema.$ref}`)
  }
  if (Array.isArray(schema.enum)) {
    const isOffered = (one: unknown) => typeof one === "string" || typeof one === "number"
    demand(schema.enum.every(isOffered), "enum: only for strings and numbers")
  }
  for (const part of Object.values(schema)) checkSchema(part)
}

function checkResponse(response: Json): void {
  demandFields(response, "id name response parts", "functionResponse")
  demand(
    typeof response.response === "object" && response.response !== null,
    "functionResponse.response: must be an object",
  )
  JSON.stringify(response.response, (key, value) => {
    demand(key !== "$ref", `functionResponse.response: ${value} refers to no part`)
    return value
  })
  for (const { inlineData } of response.parts ?? []) {
    demandFields(inlineData, "mimeType data displayName", "functionResponse.parts.inlineData")
    demandImage(inlineData.mimeType, inlineData.data, imageTypes)
  }
}
