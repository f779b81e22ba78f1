// `toolkeep/reactive/vite`: patterns in TSX for programs that Vite builds.
export { patternPlugin } from "../../reactive/index.ts"
