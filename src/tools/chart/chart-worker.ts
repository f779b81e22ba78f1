import type { TopLevelSpec } from "vega-lite"
import { answerRequests } from "../thread/answer-requests.ts"

const refuse = () => Promise.reject(new Error("a chart loads nothing"))
/** Vega asks it for data, images and links; a chart here has none. */
const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} }

answerRequests(async (spec: TopLevelSpec) => {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")])
  const quiet = vega.logger(vega.None)
  const compiled = compile(spec, { logger: quiet as never })
  const view = new vega.View(vega.parse(compiled.spec), {
    renderer: "none",
    loader: loader as never,
    logger: quiet,
  })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
})
