/** Keys as they are written on a keyboard. */
export function KeyNames({ keys }: { readonly keys: string }) {
  return (
    <span class="keys">
      {keys.split(" ").map((key) => (
        <kbd key={key}>{key === "Escape" ? "Esc" : key.replace("Ctrl+k", "Ctrl K")}</kbd>
      ))}
    </span>
  )
}
