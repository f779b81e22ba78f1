/** Shell text that does nothing for a long time, as fast as it can; not for ever, in case nobody ends it. */
export const busyLoop = "while [ $SECONDS -lt 15 ]; do :; done"
