/** What CodeMirror does not mark by itself: spaces that look like others, and characters without a shape. */
export const unseenCharacters = /\p{Cf}|\p{Default_Ignorable_Code_Point}|[^\S \t\r\n]|\u2800/gu
