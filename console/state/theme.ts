import { effect, signal } from "@preact/signals"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const themeKey = "toolkeep-theme"

export const theme = signal<Theme>(
  themes.find((one) => one === localStorage.getItem(themeKey)) ?? "system",
)

/** From now on, and in the next page that is opened. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value
    localStorage.setItem(themeKey, theme.value)
  })
}
