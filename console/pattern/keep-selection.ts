/** Changes the page; text that is selected stays selected where it is still there. */
export function keepSelection(change: () => void): void {
  const selection = document.getSelection()
  if (!selection || selection.isCollapsed) {
    change()
    return
  }
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection
  change()
  if (!anchorNode?.isConnected || !focusNode?.isConnected) return
  const isSame = selection.anchorOffset === anchorOffset && selection.focusOffset === focusOffset
  if (isSame && selection.anchorNode === anchorNode && selection.focusNode === focusNode) return
  selection.setBaseAndExtent(
    ...([anchorNode, Math.min(anchorOffset, lengthOf(anchorNode))] as const),
    ...([focusNode, Math.min(focusOffset, lengthOf(focusNode))] as const),
  )
}

function lengthOf(node: Node): number {
  return node instanceof CharacterData ? node.length : node.childNodes.length
}
