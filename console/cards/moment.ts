import { createContext } from "preact"

/** The time that cards are shown at; null for now, where they change and can be acted on. */
export const Moment = createContext<number | null>(null)
