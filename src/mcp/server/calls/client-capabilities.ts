import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server"
import { isObject } from "../../../contract/index.ts"

/** Whether the client can say which directories it works in. */
export function hasRoots(context: ServerContext, declared: unknown): boolean {
  return isObject(capabilitiesOf(context, declared).roots)
}

/** Whether the client can show a form to a person: said with the request, or else when it connected. */
export function canAskPeople(context: ServerContext, declared: unknown): boolean {
  const { elicitation } = capabilitiesOf(context, declared)
  if (!isObject(elicitation)) return false
  // Before there were modes, an empty object meant forms.
  return Object.keys(elicitation).length === 0 || isObject(elicitation.form)
}

function capabilitiesOf({ mcpReq }: ServerContext, declared: unknown): Record<string, unknown> {
  const envelope: unknown = mcpReq.envelope
  const said = isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : declared
  return isObject(said) ? said : {}
}
