// `toolkeep/reactive/jsx-runtime`: what compilers import for JSX with `jsxImportSource: "toolkeep/reactive"`.
export { Fragment, type JSX, jsx, jsx as jsxs } from "../../reactive/index.ts"
