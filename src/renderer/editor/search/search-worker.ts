import { type ScanRequest, scanText } from './search-scan.ts'

/** The thread in which an expression is tried: only by ending the thread can the window stop an expression. */
addEventListener('message', ({ data }: MessageEvent<ScanRequest>) => {
  // The time for the expression begins here, not while the thread is being started.
  postMessage('begun')
  postMessage(scanText(data))
})
