export {
  type AroundRequest,
  askModel,
  type ModelAnswer,
  type ModelRequest,
  type ModelTool,
} from "./ask-model.ts"
export type { ModelDelta } from "./collect-answer.ts"
export { modelName, policyProvider } from "./model-name.ts"
export { type OpenModelOptions, openModel } from "./open-model.ts"
