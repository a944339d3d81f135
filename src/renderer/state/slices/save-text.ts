/** Offers a text as a file to keep, where the browser or the desktop keeps what is downloaded. */
export function saveText(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // The download has taken what it needs by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}
