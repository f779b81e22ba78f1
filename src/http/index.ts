export type { Connections } from "./connections.ts"
export { serveApi } from "./serve-api.ts"
export { createQuestions } from "./server/questions.ts"
