/** An event as a handler on the server reads it: the fields of a form by their names, or the value of one field. */
export function eventData({ type, currentTarget: element }: Event): Record<string, unknown> {
  if (element instanceof HTMLFormElement) return formData(element)
  if (type !== "click" && isInput(element)) return fieldData(element)
  if (element instanceof HTMLElement) return { ...element.dataset }
  return {}
}

/** The text of a field without a name is sent without a name: it is whichever field the handler reads. */
function formData(form: HTMLFormElement): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const field of form.elements) if (isInput(field)) Object.assign(data, namedValue(field))
  return { ...data, ...form.dataset }
}

function fieldData(field: Input): Record<string, unknown> {
  const { value } = field
  const checked = field instanceof HTMLInputElement ? { checked: field.checked } : {}
  return { ...field.dataset, value, ...checked, ...namedValue(field) }
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

function isInput(element: unknown): element is Input {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
}

function namedValue(field: Input): Record<string, unknown> {
  if (!(field instanceof HTMLInputElement)) return { [field.name]: field.value }
  switch (field.type) {
    case "checkbox":
      return { [field.name]: field.checked }
    case "radio":
      return field.checked ? { [field.name]: field.value } : {}
    case "number":
    case "range":
      return { [field.name]: field.value === "" ? null : field.valueAsNumber }
    case "button":
    case "submit":
    case "reset":
    case "file":
      return {}
    default:
      return { [field.name]: field.value }
  }
}
