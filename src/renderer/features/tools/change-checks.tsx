import { useEffect, useState } from 'react'
import { ChangeCheck, limitChangeChecks } from '../../../shared/domain/work/work-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { AddForm } from './add-form.tsx'
import { ToolRow } from './tool-row.tsx'

/** The commands of the open folder that run after a turn's last change. */
export function ChangeChecks() {
  const work = useApp((state) => state.work.current)
  return work && <FolderChecks key={work.workId} folder={work.name} />
}

function FolderChecks({ folder }: { folder: string }) {
  const { t } = useWords()
  const checks = useApp((state) => state.workSettings.value.changeChecks)
  const update = useApp((state) => state.workSettings.update)
  const isTrusted = useApp((state) => state.consent.trust?.isTrusted === true)
  const found = useApp((state) => state.workSettings.proposedChecks)
  const findChecks = useApp((state) => state.workSettings.findChecks)
  useEffect(() => void findChecks(), [findChecks])
  const lines = checks.map(({ line }) => line)
  const proposed = found.filter((line) => !lines.includes(line))
  const save = (change: (checks: ChangeCheck[]) => ChangeCheck[]) =>
    void update(({ changeChecks }) => ({ changeChecks: change(changeChecks) }))
  const add = (line: string) =>
    save((all) => [...all.filter((one) => one.line !== line), { line, isOn: true }])
  return (
    <section className="tool-part" aria-label={t('changeCheck.title', { folder })}>
      <h3 className="label">{t('changeCheck.title', { folder })}</h3>
      <p className="small dim">{t('changeCheck.hint')}</p>
      {!isTrusted && <p className="small">{t('changeCheck.untrusted')}</p>}
      {checks.length === 0 && <p className="small">{t('changeCheck.none')}</p>}
      <ul className="tool-rows">
        {checks.map((check) => (
          <ToolRow
            key={check.line}
            title={
              <code>
                <Pieces text={check.line} />
              </code>
            }
            onLabel={t('changeCheck.on', { line: check.line })}
            removeLabel={t('changeCheck.remove', { line: check.line })}
            isOn={check.isOn}
            onSwitch={(isOn) =>
              save((all) => all.map((one) => (one.line === check.line ? { ...one, isOn } : one)))
            }
            onRemove={() => save((all) => all.filter((one) => one.line !== check.line))}
          />
        ))}
      </ul>
      {checks.length < limitChangeChecks && (
        <>
          {proposed.length > 0 && (
            <div className="check-proposals">
              <span className="small dim">{t('changeCheck.proposed')}</span>
              {proposed.map((line) => (
                <Button key={line} onClick={() => add(line)} aria-label={t('changeCheck.use', { line })}>
                  <code>{line}</code>
                </Button>
              ))}
            </div>
          )}
          <CheckForm lines={lines} onAdd={add} />
        </>
      )}
    </section>
  )
}

function CheckForm({ lines, onAdd }: { lines: readonly string[]; onAdd: (line: string) => void }) {
  const { t } = useWords()
  const [line, setLine] = useState('')
  const [isTried, setIsTried] = useState(false)
  const read = ChangeCheck.shape.line.safeParse(line).data ?? null
  const isUsable = read !== null && !lines.includes(read)
  const add = () => {
    setIsTried(true)
    if (!isUsable) return false
    onAdd(read)
    return true
  }
  const clear = () => {
    setLine('')
    setIsTried(false)
  }
  return (
    <AddForm label={t('changeCheck.add')} onAdd={add} onClear={clear}>
      <Field
        label={t('changeCheck.line')}
        hint={t('changeCheck.line.hint')}
        error={isTried && !isUsable ? t('changeCheck.line.bad') : null}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={2000}
            spellCheck={false}
            autoComplete="off"
            value={line}
            onChange={(event) => setLine(event.target.value)}
          />
        )}
      </Field>
    </AddForm>
  )
}
