/** What a process that works for Toolkeep is given beside its standard streams; 3 is bubblewrap's. */
export const descriptors = { messages: 4, life: 5 } as const
