import './find-dialog.css'
import { useEffect, useState } from 'react'
import type { FindChapter } from '../../../shared/domain/work/find.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { chosenCount, keyOfHit } from '../../state/slices/work/find-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, PlainButton } from '../../ui/button.tsx'
import { Check, CheckField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { useGoToPlace } from '../places/place-button.tsx'

/** With more hits than this, only the first chapter is opened automatically. */
const limitOpened = 200
/** Limit of the rows that are shown of one chapter; hits beyond it are replaced, too. */
const limitRows = 300

/** Find and replace over the whole work: what is looked for, the places by chapter, and which of them. */
export function FindDialog() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { query, replacement, result, left, isBusy, error, setQuery, setReplacement, find, replace, clear } =
    useApp((state) => state.find)
  useEffect(() => clear, [clear])
  const chosen = result === null ? 0 : chosenCount(result.chapters, left)
  const check = (name: Exclude<keyof typeof query, 'text'>, label: MessageKey) => (
    <CheckField label={t(label)} value={query[name]} onChange={(isOn) => setQuery({ [name]: isOn })} />
  )

  return (
    <Dialog
      title={t('find.title')}
      size="large"
      footer={
        <>
          <span className="grow dim" role="status">
            {result !== null && t('find.total', { count: result.total, chapters: result.chapters.length })}
            {result?.isTruncated && ` ${t('find.truncated')}`}
          </span>
          <Button onClick={close}>{t('action.cancel')}</Button>
          {/* A user who only searches is not led to delete the hits. */}
          <Button
            variant={replacement === '' ? 'normal' : 'primary'}
            disabled={isBusy || chosen === 0}
            onClick={() => void replace().then((isDone) => isDone && close())}
          >
            {chosen === 0
              ? t('search.replaceOne')
              : t(replacement === '' ? 'find.remove' : 'find.replace', { count: chosen })}
          </Button>
        </>
      }
    >
      <Form className="find" onSubmit={() => void find()}>
        <Field label={t('search.find')}>
          {(ids) => (
            <div className="row">
              <input
                {...ids}
                className="input grow"
                autoFocus
                spellCheck={false}
                value={query.text}
                onFocus={(event) => event.target.select()}
                onChange={(event) => setQuery({ text: event.target.value })}
              />
              <Button type="submit" disabled={isBusy || query.text === ''}>
                {t('find.search')}
              </Button>
            </div>
          )}
        </Field>
        <TextField
          label={t('search.replace')}
          spellCheck={false}
          value={replacement}
          onChange={setReplacement}
        />
        <div className="find-options">
          {check('isCaseSensitive', 'search.matchCase')}
          {check('isRegex', 'search.regexp')}
          {!query.isRegex && check('foldsWidth', 'find.foldsWidth')}
          {!query.isRegex && check('foldsKana', 'find.foldsKana')}
        </div>
      </Form>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {result?.unread[0] !== undefined && (
        <Notice tone="warn">
          {t('ask.unread', { count: result.unread.length, path: result.unread[0] })}
        </Notice>
      )}
      {result?.total === 0 && <p className="dim find-nothing">{t('find.nothing')}</p>}
      {result?.chapters.map((chapter, index) => (
        <Chapter
          key={chapter.path}
          chapter={chapter}
          isOpenedFirst={index === 0 || result.total <= limitOpened}
        />
      ))}
    </Dialog>
  )
}

function Chapter({ chapter, isOpenedFirst }: { chapter: FindChapter; isOpenedFirst: boolean }) {
  const { t } = useWords()
  const { left, choose, replacement } = useApp((state) => state.find)
  const goToPlace = useGoToPlace()
  const [isOpen, setIsOpen] = useState(isOpenedFirst)
  const { path, hits } = chapter
  const name = displayName(path)
  const leftHere = hits.filter((hit) => left.has(keyOfHit(path, hit))).length
  return (
    <section className="find-chapter" aria-label={name}>
      <div className="row">
        <input
          type="checkbox"
          className="check"
          aria-label={t('find.chapter', { name })}
          checked={leftHere === 0}
          ref={(box) => {
            if (box) box.indeterminate = leftHere > 0 && leftHere < hits.length
          }}
          onChange={(event) => choose(path, hits, event.target.checked)}
        />
        <PlainButton className="grow find-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span className="grow clip">{name}</span>
          <span className="dim">{hits.length}</span>
        </PlainButton>
      </div>
      {isOpen && (
        <ul>
          {hits.slice(0, limitRows).map((hit) => (
            <li key={hit.from} className="row find-hit">
              <PlainButton
                className="find-line"
                aria-label={t('find.goTo', { name, line: hit.line })}
                title={t('find.goTo', { name, line: hit.line })}
                onClick={() => goToPlace({ path, from: hit.from })}
              >
                {hit.line}
              </PlainButton>
              <Check
                className="row find-text"
                checked={!left.has(keyOfHit(path, hit))}
                onChange={(isOn) => choose(path, [hit], isOn)}
              >
                <span className="visually-hidden">{hit.line}</span>
                <span className="clip serif">
                  {hit.before}
                  {replacement === '' ? <mark>{hit.match}</mark> : <del>{hit.match}</del>}
                  {hit.insert !== '' && <ins>{hit.insert}</ins>}
                  {hit.after}
                </span>
              </Check>
            </li>
          ))}
          {hits.length > limitRows && (
            <li className="dim find-more">{t('find.more', { count: hits.length - limitRows })}</li>
          )}
        </ul>
      )}
    </section>
  )
}
