const written: Readonly<Record<string, string>> = {
  ...{ Escape: "Esc", "Ctrl+k": "Ctrl K", ArrowLeft: "←", ArrowRight: "→" },
}

/** Keys as they are written on a keyboard. */
export function KeyNames({ keys }: { readonly keys: string }) {
  return (
    <span class="keys">
      {keys.split(" ").map((key) => (
        <kbd key={key}>{written[key] ?? key}</kbd>
      ))}
    </span>
  )
}
