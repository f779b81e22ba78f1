import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { type FormField, withPart } from "./form-field.ts"

interface FieldsProps {
  readonly fields: readonly FormField[]
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

export function Fields({ fields, value, onChange }: FieldsProps) {
  return (
    <>
      {fields.map((field) => (
        <FormRow
          key={field.name}
          field={field}
          value={Object(value)[field.name]}
          onChange={(part) => onChange(withPart(value, field.name, part))}
        />
      ))}
    </>
  )
}

interface RowProps {
  readonly field: FormField
  /** Undefined for what is not given. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function FormRow({ field, value, onChange }: RowProps) {
  const id = useId()
  const { name, description, isRequired } = field
  if (field.kind === "object") {
    return (
      <fieldset>
        <legend>{name}</legend>
        <p class="quiet hint">{description}</p>
        <Fields fields={field.fields} value={value} onChange={onChange} />
      </fieldset>
    )
  }
  if (field.kind === "list") {
    return <ListRow field={field} item={field.item} value={value} onChange={onChange} />
  }
  return (
    <div class="field">
      <label class="label" for={id}>
        <ShownText text={name} /> {isRequired && <span class="quiet">(needed)</span>}
      </label>
      <Control id={id} field={field} value={value} onChange={onChange} />
      {description !== "" && (
        <span class="quiet hint" id={`${id}-hint`}>
          <ShownText text={description} />
        </span>
      )}
    </div>
  )
}

function Control({ id, field, value, onChange }: RowProps & { readonly id: string }) {
  const common = {
    ...{ id, "aria-describedby": field.description === "" ? undefined : `${id}-hint` },
    placeholder: field.byDefault === undefined ? "" : `${JSON.stringify(field.byDefault)}`,
  }
  switch (field.kind) {
    case "text":
      return (
        <textarea
          {...common}
          rows={1}
          value={typeof value === "string" ? value : ""}
          onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      )
    case "secret":
      return (
        <input
          {...common}
          type="password"
          autocomplete="off"
          value={typeof value === "string" ? value : ""}
          onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      )
    case "number":
      return (
        <input
          {...common}
          type="number"
          step={field.step}
          min={field.min}
          max={field.max}
          value={typeof value === "number" ? value : ""}
          onInput={({ currentTarget }) =>
            onChange(currentTarget.value === "" ? undefined : currentTarget.valueAsNumber)
          }
        />
      )
    case "switch":
      return (
        <input
          id={id}
          type="checkbox"
          checked={(value ?? field.byDefault) === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case "choice":
      return (
        <select
          id={id}
          value={value === undefined ? "" : String(field.choices.indexOf(value))}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === "" ? undefined : field.choices[+currentTarget.value])
          }
        >
          <option value="">
            {field.byDefault === undefined ? "–" : `default: ${field.byDefault}`}
          </option>
          {field.choices.map((choice, index) => (
            <option key={String(choice)} value={index}>
              {String(choice)}
            </option>
          ))}
        </select>
      )
    default:
      return <JsonControl common={common} value={value} onChange={onChange} />
  }
}

interface JsonControlProps extends Omit<RowProps, "field"> {
  readonly common: { readonly id: string; readonly placeholder: string }
}

function JsonControl({ common, value, onChange }: JsonControlProps) {
  const text = useSignal(value === undefined ? "" : JSON.stringify(value, null, 2))
  const isWrong = useSignal(false)
  const onInput = (next: string) => {
    text.value = next
    const parsed = readJson(next)
    isWrong.value = !parsed.ok
    if (parsed.ok) onChange(parsed.value)
  }
  return (
    <>
      <textarea
        {...common}
        rows={2}
        value={text.value}
        aria-invalid={isWrong.value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {isWrong.value && <span class="problem">This is not JSON yet.</span>}
    </>
  )
}

interface ListRowProps extends RowProps {
  readonly item: FormField
}

function ListRow({ field, item, value, onChange }: ListRowProps) {
  const items = Array.isArray(value) ? value : []
  const change = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <fieldset class="form-list">
      <legend>
        {field.name} {field.isRequired && <span class="quiet">(needed)</span>}
      </legend>
      <p class="quiet hint">{field.description}</p>
      {items.map((one, index) => (
        <div class="row" key={index}>
          <FormRow
            field={{ ...item, name: `${index + 1}` }}
            value={one}
            onChange={(part) => change(items.with(index, part ?? ""))}
          />
          <button type="button" onClick={() => change(items.toSpliced(index, 1))}>
            Remove {index + 1}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change([...items, emptyItem(item)])}>
        Add to {field.name}
      </button>
    </fieldset>
  )
}

function emptyItem(item: FormField): unknown {
  const empty = { text: "", secret: "", json: null, switch: false, number: 0, list: [], object: {} }
  return item.kind === "choice" ? item.choices[0] : empty[item.kind]
}

/** Nothing is what is not given. */
export function readJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  if (text.trim() === "") return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
