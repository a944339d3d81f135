import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import type { Session } from '../../shared/domain/session/session.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { failedReference } from '../../shared/i18n/failed-reference.ts'
import { createTranslate, errorText, type Language, type Translate } from '../../shared/i18n/translate.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import { fenced } from '../../shared/text/manuscript/fenced.ts'

/** Units: graphemes of a file name without its ending. */
const nameLength = 60

/** Returns a conversation as a Markdown file. Output of commands and texts of files are fenced and cannot break out. */
export function exportSession(
  session: Session,
  items: readonly SessionItem[],
  language: Language,
): { markdown: string; fileName: string } {
  const t = createTranslate(language)
  const title = session.title === '' ? t('session.untitled') : session.title
  const parts = [`# ${title}`, ...items.map((item) => itemMarkdown(item, t, language))]
  const name = clipLine(title.replace(/[\p{Cc}<>:"/\\|?*.]+/gu, ' '), nameLength).trim()
  return {
    markdown: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
    fileName: `${name === '' ? 'session' : name}.md`,
  }
}

function itemMarkdown(item: SessionItem, t: Translate, language: Language): string {
  switch (item.kind) {
    case 'user':
      return `## ${t('session.export.user')}\n\n${segmentsText(item.segments)}`
    case 'file':
      return item.state === 'ok' ? fenced(item.text) : `> ${failedReference(t, item)}`
    case 'answer':
      return item.text === '' ? '' : `## ${t('session.export.answer')}\n\n${item.text}`
    case 'decision':
      return `> ${clipLine(item.decision.rationale, 200)}`
    case 'call':
      return [`### ${item.name} ${inline(item.title)}`, item.text === '' ? '' : fenced(item.text)]
        .filter((part) => part !== '')
        .join('\n\n')
    case 'gate':
      return item.gate.calls
        .map(
          ({ intent, reason }) =>
            `> ${t(`session.export.gate.${item.state}`)}: ${clipLine(`${intent} ${reason}`, 300)}`,
        )
        .join('\n>\n')
    case 'question':
      return [`> ${item.question}`, item.answer === null ? '' : `> ${item.answer}`]
        .filter(Boolean)
        .join('\n>\n')
    case 'error':
      return item.error === null ? '' : `> ${errorText(t, language, item.error)}`
    case 'compaction':
      return item.summary === '' ? '' : `---\n\n${item.summary}`
    case 'undo':
      return `> ${t('session.export.undo', { files: item.files.join(', ') })}`
    case 'folder':
      return `> ${t(`session.export.folder.${item.change}`, { path: item.path })}`
    case 'notice':
      return ''
  }
}

function inline(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', '´')}\``
}
