import type { AskedAndAnswered, CallCard, GivenAnswer } from "../../model/card.ts"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Clock } from "../../parts/time.tsx"

const verdicts: Readonly<Record<string, string>> = {
  ...{ allow: "Allowed by", deny: "Refused by", ask: "A person is asked by" },
}

/** Which rule decided and why, and what people answered. */
export function Allowed({ call: { verdict, asked } }: { readonly call: CallCard }) {
  const rule = verdict?.rule
  return (
    <>
      {rule ? (
        <p>
          {verdicts[verdict.kind] ?? verdict.kind}{" "}
          <code>
            <ShownText text={rule.text} />
          </code>
          {rule.line !== null && (
            <span class="quiet">
              {" "}
              <ShownText text={rule.file} />, line {rule.line}
            </span>
          )}
          {rule.because !== null && (
            <>
              {" "}
              <ShownText text={rule.because} />
            </>
          )}
          {rule.remedy !== null && (
            <>
              <br />
              <ShownText text={rule.remedy} />
            </>
          )}
        </p>
      ) : (
        <p class="quiet">No rule was asked: the call ended before, or there is no policy.</p>
      )}
      {asked.map((one, index) => (
        <Asked key={index} asked={one} />
      ))}
    </>
  )
}

function Asked({ asked: { prompt, askedMs, answer } }: { readonly asked: AskedAndAnswered }) {
  return (
    <p>
      <Clock ms={askedMs} /> <ShownText text={prompt} />
      <br />
      {answer ? (
        <>
          <Clock ms={answer.atMs} /> <ShownText text={answerText(answer)} />
        </>
      ) : (
        <span class="quiet">No answer.</span>
      )}
    </p>
  )
}

/** "Approved by Chrome on Linux" */
export function answerText({ kind, by, reason, always }: GivenAnswer): string {
  const who = by === null ? "" : ` by ${by}`
  switch (kind) {
    case "approved":
      return always ? `Approved for the whole session${who}` : `Approved${who}`
    case "denied":
      return `Denied${who}${reason === null ? "" : `: ${reason}`}`
    case "edited":
      return `Approved with other arguments${who}`
    case "unreachable":
      return "Nobody could be asked"
    default:
      return `${kind}${who}`
  }
}
