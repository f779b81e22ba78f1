export { serveApi } from "./serve-api.ts"
export { createQuestions } from "./server/questions.ts"
