import { type ScanRequest, scanText } from './search-scan.ts'

/** The thread in which an expression is tried: the window can end it, and nothing else could. */
addEventListener('message', ({ data }: MessageEvent<ScanRequest>) => {
  // The time for the expression begins here, not while the thread is being started.
  postMessage('begun')
  postMessage(scanText(data))
})
