import './rewrite.css'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { readManuscript } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import type { RunView } from '../../state/reducers/run-reducer.ts'
import { noTextKey } from '../../state/reducers/run-words.ts'
import { rewriteTakes } from '../../state/slices/work/rewrite-slice.ts'
import { activeRun } from '../../state/slices/work/runs-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { usePhaseText } from '../../state/use-phase-text.ts'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Rewrites the selection by an instruction; what it was and what it would be stand side by side. */
export function RewriteDialog() {
  const { t } = useWords()
  const { passage, instruction, setInstruction, write, accept, close } = useApp((state) => state.rewrite)
  const isTextOnly = useApp((state) => state.work.current?.details.promptForm === 'text')
  const isBusy = useApp((state) => state.runs.isStarting || activeRun(state.runs) !== null)
  const stop = useApp((state) => state.runs.stop)
  const view = useApp((state) => state.runs.byTake[state.rewrite.takeId ?? ''])
  const text = useShownText()
  useEffect(() => {
    if (passage === null) close()
  }, [passage, close])
  if (passage === null) return null
  const hear = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !event.ctrlKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    // The window would begin a continuation by the same keys.
    event.stopPropagation()
    if (isBusy) return
    void (event.shiftKey ? accept() : write())
  }
  return (
    <Dialog
      title={t('rewrite.title')}
      size="large"
      onClose={close}
      footer={
        <>
          <Takes />
          <span className="grow" />
          {isBusy && <Button onClick={() => void stop()}>{t('editor.stop')}</Button>}
          <Button
            variant="primary"
            disabled={text === '' || isBusy}
            title="Ctrl+Shift+Enter"
            onClick={() => void accept()}
          >
            {t('rewrite.accept')}
          </Button>
        </>
      }
    >
      <Form className="rewrite-form" onSubmit={() => void write()} onKeyDown={hear}>
        <PresetList />
        <Field label={t('rewrite.instruction')} hint={t('rewrite.hint')}>
          {(ids) => (
            <textarea
              {...ids}
              className="textarea"
              rows={3}
              maxLength={4_000}
              autoFocus
              value={instruction}
              onChange={(event) => setInstruction(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button
            type="submit"
            variant={text === '' ? 'primary' : 'normal'}
            disabled={isBusy || instruction.trim() === ''}
          >
            {t(text === '' ? 'rewrite.write' : 'rewrite.another')}
          </Button>
          <Progress view={view} isBusy={isBusy} />
        </div>
        {isTextOnly && <Notice tone="warn">{t('rewrite.textOnly')}</Notice>}
        {hasComments(passage.original) && <p className="dim">{t('rewrite.comments')}</p>}
        <Problem view={view} />
      </Form>
      <Comparison original={passage.original} text={text} isWriting={isBusy} />
    </Dialog>
  )
}

function hasComments(text: string): boolean {
  return readManuscript(text).marks.some(({ kind }) => kind === 'comment')
}

function useShownText(): string {
  return useApp(({ rewrite, runs, takes }) => {
    if (rewrite.takeId === null) return ''
    const run = runs.byTake[rewrite.takeId]?.run
    return run?.text ?? takes.list.find(({ takeId }) => takeId === rewrite.takeId)?.text ?? ''
  })
}

function Comparison({ original, text, isWriting }: { original: string; text: string; isWriting: boolean }) {
  const { t, language } = useWords()
  const difference = useMemo(
    () =>
      text === '' || isWriting ? null : wordDifference(original, text, languageOfText(original) ?? language),
    [original, text, isWriting, language],
  )
  const onlyHere = t('takes.onlyHere')
  return (
    <div className="compare-columns rewrite-columns">
      <section aria-label={t('rewrite.before')}>
        <p className="dim">{t('rewrite.before')}</p>
        <MarkedText text={original} pieces={difference?.before} onlyHere={onlyHere} />
      </section>
      <section aria-label={t('rewrite.after')}>
        <p className="dim">{t('rewrite.after')}</p>
        {text === '' ? (
          <p className="dim">{t(isWriting ? 'rewrite.waiting' : 'rewrite.none')}</p>
        ) : (
          <MarkedText text={text} pieces={difference?.after} onlyHere={onlyHere} />
        )}
      </section>
    </div>
  )
}

function Takes() {
  const { t } = useWords()
  const step = useApp((state) => state.rewrite.step)
  const shownId = useApp((state) => state.rewrite.takeId)
  const ids = useApp((state) =>
    rewriteTakes(state)
      .map(({ takeId }) => takeId)
      .join(' '),
  )
  const all = ids === '' ? [] : ids.split(' ')
  const nth = all.indexOf(shownId ?? '') + 1
  if (all.length < 2) return null
  return (
    <div className="row">
      <Button variant="quiet" disabled={nth <= 1} onClick={() => step(-1)}>
        {t('editor.previousTake')}
      </Button>
      <span role="status">{t('rewrite.nth', { nth, total: all.length })}</span>
      <Button variant="quiet" disabled={nth >= all.length} onClick={() => step(1)}>
        {t('editor.nextTake')}
      </Button>
    </div>
  )
}

function Progress({ view, isBusy }: { view: RunView | undefined; isBusy: boolean }) {
  const running = view?.run.state === 'running' ? view : null
  const phase = usePhaseText(running, isBusy)
  return (
    <span className="dim" role="status">
      {isBusy && phase}
    </span>
  )
}

/** Says why there is no text, or why it ended early. */
function Problem({ view }: { view: RunView | undefined }) {
  const { t, errorText } = useWords()
  const failure = useApp((state) => state.runs.failure)
  const end = useApp(
    (state) => state.takes.list.find(({ takeId }) => takeId === state.rewrite.takeId)?.stopReason ?? null,
  )
  const error = view?.run.error ?? (failure?.wish.rewrite ? failure.error : null)
  if (error) return <Notice tone="bad">{errorText(error)}</Notice>
  if (view?.run.state === 'interrupted') return <Notice tone="warn">{t('run.interrupted')}</Notice>
  if (end === 'length') return <Notice tone="warn">{t('rewrite.cut')}</Notice>
  if (end === 'scaffolding' || end === 'repetition' || end === 'replaced') {
    return <Notice tone="warn">{t(`takes.ended.${end}`)}</Notice>
  }
  const hasEnded = view?.run.state === 'finished' || view?.run.stopReason === 'replaced'
  if (hasEnded && view.run.text === '') {
    return <Notice tone="warn">{t(noTextKey(view.run))}</Notice>
  }
  return null
}

/** The rewrite presets, each a button; they can be changed, added and removed. */
function PresetList() {
  const { t } = useWords()
  const { presets, instruction, setInstruction, keepPresets } = useApp((state) => state.rewrite)
  const isOwn = useApp((state) => state.settings.value.drafting.rewrites !== null)
  const chosen = presets.find((preset) => preset.instruction === instruction)
  const [name, setName] = useState('')
  const wanted = name.trim()
  const isKnown = presets.some((preset) => preset.name === wanted)

  const save = () => {
    const preset = { name: wanted, instruction: instruction.trim() }
    const others = presets.map((one) => (one.name === wanted ? preset : one))
    void keepPresets(isKnown ? others : [...presets, preset])
  }
  const remove = () => void keepPresets(presets.filter((preset) => preset.name !== wanted))

  return (
    <>
      <fieldset className="choices rewrite-presets" aria-label={t('rewrite.presets')}>
        {presets.map((preset) => (
          <Button
            key={preset.name}
            aria-pressed={preset === chosen}
            onClick={() => {
              setInstruction(preset.instruction)
              setName(preset.name)
            }}
          >
            {preset.name}
          </Button>
        ))}
      </fieldset>
      <details className="rewrite-edit">
        <summary>{t('rewrite.editPresets')}</summary>
        <div className="row">
          <input
            className="input grow"
            aria-label={t('rewrite.presetName')}
            placeholder={t('rewrite.presetName')}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button disabled={wanted === '' || instruction.trim() === ''} onClick={save}>
            {t(isKnown ? 'rewrite.changePreset' : 'rewrite.addPreset')}
          </Button>
          <Button disabled={!isKnown || presets.length < 2} onClick={remove}>
            {t('rewrite.removePreset')}
          </Button>
          <Button variant="quiet" disabled={!isOwn} onClick={() => void keepPresets(null)}>
            {t('rewrite.resetPresets')}
          </Button>
        </div>
      </details>
    </>
  )
}
