import { memo, useMemo, useState } from 'react'
import type { SessionItem } from '../../../shared/domain/session-item.ts'
import { useWords } from '../../state/store-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FolderOfferLine } from './folder-offer.tsx'
import { callSummary, callTitle, namedArgs } from './item-words.ts'

type CallItem = Extract<SessionItem, { kind: 'call' }>

/** Of a running command's output so much stands under its line. Units: lines. */
const tailLines = 8

/** A tool's call in one line; it opens to what was asked and what came back. */
export const CallCard = memo(function CallCard({ item }: { item: CallItem }) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const isBad = item.state === 'failed' || item.state === 'refused'
  const title = callTitle(t, item)
  const name = item.tool === null ? item.name : t(`conversation.tool.${item.tool}`)
  const tail = item.state === 'running' ? lastLines(item.text, tailLines) : ''
  return (
    <article className={`call-card call-${item.state}`} aria-label={`${name} ${title}`}>
      <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className={isOpen ? 'call-fold call-fold-open' : 'call-fold'}>
          <Icon name="chevron" size={12} />
        </span>
        <span className="call-name">{name}</span>
        <b className="grow clip">{title}</b>
        <span className={isBad ? 'call-summary call-bad' : 'call-summary'}>{callSummary(t, item)}</span>
      </button>
      {item.offer && <FolderOfferLine offer={item.offer} />}
      {!isOpen && tail !== '' && <pre className="code call-tail">{tail}</pre>}
      {isOpen && (
        <div className="call-body">
          <Args args={item.args} />
          {item.view?.kind === 'change' && (
            <ul className="call-files">
              {item.view.files.map((file) => (
                <li key={file.path}>
                  {file.path}
                  {file.to !== null && ` → ${file.to}`} +{file.addedLines} −{file.removedLines}
                </li>
              ))}
            </ul>
          )}
          {item.text !== '' && (
            <>
              <h4 className="label">{t('conversation.call.result')}</h4>
              <pre className="code">{item.text}</pre>
            </>
          )}
        </div>
      )}
    </article>
  )
})

/** Texts of many lines as they would be written, not as JSON has them. */
function Args({ args }: { args: string }) {
  const { t } = useWords()
  const named = useMemo(() => namedArgs(args), [args])
  if (named?.length === 0) return null
  return (
    <>
      <h4 className="label">{t('conversation.call.args')}</h4>
      {named === null ? (
        <pre className="code">{args}</pre>
      ) : (
        <dl className="call-args">
          {named.map(([name, text]) => (
            <div key={name} className="facts-pair">
              <dt>{name}</dt>
              <dd>
                <pre className="code">{text}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
