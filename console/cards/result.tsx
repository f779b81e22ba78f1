import type { Envelope, Failure } from "../../src/contract/envelope/envelope.ts"
import { languageOf } from "../model/language-of.ts"
import { type ResultView, resultView } from "../model/result-view.ts"
import { Code } from "../parts/text/code.tsx"
import { Markdown } from "../parts/text/markdown.tsx"
import { ShownJson, ShownText } from "../parts/text/shown-text.tsx"
import { AllOutput } from "./all-output.tsx"
import { CommandResult } from "./command-result.tsx"
import { DiffResult } from "./diff-result.tsx"
import { Listing, Matches } from "./listing-result.tsx"
import { ArtifactLine, Picture } from "./media-result.tsx"
import { PageResult } from "./page-result.tsx"

interface ResultProps {
  readonly envelope: Envelope
  /** The arguments of the call. */
  readonly sent: unknown
  readonly session: string
  /** The call's id. */
  readonly call: string
}

/** What a call answered, by the kind of it. */
export function Result({ envelope, sent, session, call }: ResultProps) {
  return <ResultByKind view={resultView(envelope, sent)} session={session} call={call} />
}

interface ViewProps {
  readonly view: ResultView
  readonly session: string
  readonly call: string
}

function ResultByKind({ view, session, call }: ViewProps) {
  switch (view.kind) {
    case "failure":
      return <FailureText failure={view.failure} />
    case "command":
      return (
        <>
          <CommandResult command={view} />
          {view.bytesCut > 0 && <AllOutput session={session} call={call} />}
        </>
      )
    case "listing":
      return <Listing listing={view} />
    case "matches":
      return <Matches found={view} />
    case "file":
      return (
        <>
          <Code text={view.text} language={languageOf(view.path)} startLine={view.startLine} />
          {view.isCut && <p class="quiet">There is more of this file.</p>}
        </>
      )
    case "diff":
      return <DiffResult diff={view.diff} about={view.about} />
    case "picture":
      return <Picture about={view.about} artifact={view.artifact} session={session} />
    case "artifact":
      return <ArtifactLine about={view.about} artifact={view.artifact} session={session} />
    case "page":
      return <PageResult page={view} />
    case "text":
      return <Markdown text={view.text} />
    case "facts":
      return (
        <dl class="facts">
          {view.facts.map(([name, value]) => (
            <div key={name}>
              <dt>
                <ShownText text={name} />
              </dt>
              <dd>
                <ShownText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )
    case "json":
      return <ShownJson value={view.value} />
    default:
      return view satisfies never
  }
}

function FailureText({ failure }: { readonly failure: Failure }) {
  const { kind, message, field, expected, retryable } = failure
  return (
    <div class="failure">
      <p>
        <ShownText text={message} />
      </p>
      <dl>
        <dt>Kind</dt>
        <dd>
          <code>{kind}</code>
          {retryable && ", trying again may help"}
        </dd>
        {field !== undefined && (
          <>
            <dt>Field</dt>
            <dd>
              <code>
                <ShownText text={field} />
              </code>
            </dd>
          </>
        )}
        {expected !== undefined && (
          <>
            <dt>Expected</dt>
            <dd>
              <ShownText text={expected} />
            </dd>
          </>
        )}
      </dl>
    </div>
  )
}
