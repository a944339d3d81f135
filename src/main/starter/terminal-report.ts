import type { StarterStatus } from '../../shared/domain/model/model-catalogue.ts'
import { errorText, type Language, sizeText, type Translate } from '../../shared/i18n/translate.ts'

/** The terminal as far as the report needs it. */
export type Terminal = { isTTY?: boolean; write(text: string): unknown }

/** Share of progress after which output that is not a terminal gets a new line. */
const quietShare = 0.2

/** Reports the fetch on a terminal until `statuses` ends: progress in place, every other step on its own line. */
export async function reportStarter(
  statuses: AsyncIterable<StarterStatus>,
  terminal: Terminal,
  words: { t: Translate; language: Language },
): Promise<void> {
  let lastLine = ''
  let saidShare = 0
  let isProgressOpen = false
  for await (const status of statuses) {
    const line = starterLine(status, words)
    if (line === undefined || line === lastLine) continue
    const share = status.totalBytes === 0 ? 0 : status.receivedBytes / status.totalBytes
    const isProgress = status.state === 'fetching' || status.state === 'checking'
    if (isProgress && !terminal.isTTY) {
      if (share > 0 && share < saidShare + quietShare) continue
      saidShare = share
    }
    lastLine = line
    if (terminal.isTTY && isProgress) terminal.write(`\r\u001b[K${line}`)
    else terminal.write(`${isProgressOpen ? '\n' : ''}${line}\n`)
    isProgressOpen = terminal.isTTY === true && isProgress
  }
  if (isProgressOpen) terminal.write('\n')
}

/** Returns one line about the download; undefined where there is nothing to say. */
function starterLine(
  status: StarterStatus,
  { t, language }: { t: Translate; language: Language },
): string | undefined {
  const name = status.models.find((model) => model.starterId === status.starterId)?.name ?? ''
  switch (status.state) {
    // Handled before a size is formatted: every start reports this state, and formatting loads more code.
    case 'idle':
      return undefined
    case 'failed':
      return status.error === null
        ? undefined
        : t('cli.starter.failed', { reason: errorText(t, language, status.error) })
    default: {
      const received = sizeText(language, status.receivedBytes)
      const total = sizeText(language, status.totalBytes)
      return t(`cli.starter.${status.state}`, { name, received, total })
    }
  }
}
