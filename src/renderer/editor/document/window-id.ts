/** Names this page among all that edit the same text. */
export const windowId = [...crypto.getRandomValues(new Uint32Array(2))]
  .map((part) => part.toString(36))
  .join('')
