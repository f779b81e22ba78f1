/** Kept equal to package.json's by a test; read from there it would cost a file read at each start. */
export const version = "0.1.0"
