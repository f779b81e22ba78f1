import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server"
import { isObject } from "../../contract/index.ts"

/** Whether the client can show a form to a person: said with the request, or else when it connected. */
export function canAskPeople({ mcpReq }: ServerContext, declared: unknown): boolean {
  const envelope: unknown = mcpReq.envelope
  const said = isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : declared
  if (!isObject(said) || !isObject(said.elicitation)) return false
  // Before there were modes, an empty object meant forms.
  const { elicitation } = said
  return Object.keys(elicitation).length === 0 || isObject(elicitation.form)
}
