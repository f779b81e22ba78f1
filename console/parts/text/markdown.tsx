import { Lexer, type Token, type Tokens } from "marked"
import type { ComponentChildren } from "preact"
import remend from "remend"
import { languageOf } from "../../model/language-of.ts"
import { safeLink } from "../../model/safe-link.ts"
import { Code } from "./code.tsx"
import { ShownText } from "./shown-text.tsx"

interface MarkdownProps {
  readonly text: string
  /** Whether the text may end in the middle of something, because it streams or was cut. */
  readonly isOpen?: boolean
}

/** A longer text is shown as it is. */
const mostCharacters = 100_000

/** Text of a model or a page as markdown. Tokens become elements; HTML in it stays text, and no picture is loaded. */
export function Markdown({ text, isOpen = false }: MarkdownProps) {
  const tokens = lex(isOpen ? remend(text) : text)
  if (!tokens) {
    return (
      <pre>
        <ShownText text={text} />
      </pre>
    )
  }
  return <div class="markdown">{blocks(tokens)}</div>
}

/** Null for what is too long, or nested too deeply for the lexer. */
function lex(text: string): readonly Token[] | null {
  if (text.length > mostCharacters) return null
  try {
    return Lexer.lex(text)
  } catch {
    return null
  }
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token} />)
}

function Block({ token: given }: { readonly token: Token }) {
  // The lexer's tokens are a union that is open for extensions, of which there are none here.
  const token = given as MarkedToken
  switch (token.type) {
    case "heading": {
      // The page's own headings stand above those of a text.
      const level = Math.min(6, token.depth + 2)
      const Heading = `h${level}` as "h3"
      return <Heading>{inline(token.tokens)}</Heading>
    }
    case "paragraph":
      return <p>{inline(token.tokens)}</p>
    case "code":
      return <Code text={token.text} language={languageOf(token.lang ?? "")} />
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case "list":
      return <List list={token} />
    case "table":
      return <Table table={token} />
    case "hr":
      return <hr />
    case "space":
    case "def":
      return null
    case "html":
      return (
        <pre>
          <ShownText text={token.text} />
        </pre>
      )
    default:
      return <>{inline([token])}</>
  }
}

type MarkedToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Def
  | Tokens.HTML
  | Tokens.Text

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {item.task && <span>{item.checked ? "☑ " : "☐ "}</span>}
      {blocks(item.tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ))
  if (!list.ordered) return <ul>{items}</ul>
  return <ol start={typeof list.start === "number" ? list.start : 1}>{items}</ol>
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            <th key={index}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, at) => (
              <td key={at}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function inline(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map((token, index) => <Inline key={index} token={token} />)
}

function Inline({ token }: { readonly token: Token }) {
  const children = "tokens" in token ? inline(token.tokens) : null
  switch (token.type) {
    case "strong":
      return <strong>{children}</strong>
    case "em":
      return <em>{children}</em>
    case "del":
      return <del>{children}</del>
    case "codespan":
      return (
        <code>
          <ShownText text={token.text} />
        </code>
      )
    case "br":
      return <br />
    case "link":
      return <Link address={token.href}>{children}</Link>
    case "image":
      return (
        <Link address={token.href}>
          <ShownText text={`Image: ${token.text || token.href}`} />
        </Link>
      )
    case "text":
      if (token.tokens) return <>{children}</>
      return <ShownText text={token.text} />
    case "escape":
      return <ShownText text={token.text} />
    default:
      return <ShownText text={token.raw} />
  }
}

interface LinkProps {
  readonly address: string
  readonly children: ComponentChildren
}

/** A link of a text of others: its own words, and the host that it really leads to. */
export function Link({ address, children }: LinkProps) {
  const link = safeLink(address)
  if (!link) {
    return (
      <span title="This address is not opened from here.">
        {children} (<ShownText text={address} />)
      </span>
    )
  }
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {children} <span class="link-place">({link.place})</span>
    </a>
  )
}
