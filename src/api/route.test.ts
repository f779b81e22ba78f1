import { expect, it } from "vitest"
import { object } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import { routeEntries } from "./routes.ts"

const route = { method: "GET", path: "/nobody", summary: "Nothing.", input: object({}) } as const

it("C18: a route without a scope does not compile, and every route has one", () => {
  // @ts-expect-error Who may use it is missing.
  defineRoutes({ "nobody.list": { ...route, answer: "bytes" } })
  // @ts-expect-error Nobody has such a scope.
  defineRoutes({ "nobody.list": { ...route, answer: "bytes", scope: "everybody" } })
  const scopes = new Set(routeEntries.map(([, { scope }]) => scope))
  expect(scopes).toEqual(new Set(["open", "read", "call", "approve", "own"]))
})
