// The subject: a run of an agent, from the built package.
import { createAgent } from "../../dist/public/agent.js"
import { openToolkeep } from "../../dist/public/toolkeep.js"

const [url, home] = process.argv.slice(2)
const keep = await openToolkeep({ home, record: true })
await createAgent({ model: `${url}#model` }).run(keep.session("run"), "Say hello.").result
