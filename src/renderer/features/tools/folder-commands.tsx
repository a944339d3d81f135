import { useEffect, useState } from 'react'
import {
  ChangeCheck,
  limitChangeChecks,
  limitSubmitHooks,
  SubmitHook,
} from '../../../shared/domain/work/work-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { AddForm, ToolRow } from './tool-parts.tsx'

/** The commands of the open folder that run after a turn's last change. */
export function ChangeChecks() {
  const work = useApp((state) => state.work.current)
  return work && <FolderChecks key={work.workId} folder={work.name} />
}

function FolderChecks({ folder }: { folder: string }) {
  const { t } = useWords()
  const { value, update, proposedChecks, findChecks } = useApp((state) => state.workSettings)
  const checks = value.changeChecks
  const isTrusted = useApp((state) => state.consent.trust?.isTrusted === true)
  useEffect(() => void findChecks(), [findChecks])
  const lines = checks.map(({ line }) => line)
  const proposed = proposedChecks.filter((line) => !lines.includes(line))
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
            <div className="row wrap check-proposals">
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
      <TextField
        label={t('changeCheck.line')}
        hint={t('changeCheck.line.hint')}
        error={isTried && !isUsable ? t('changeCheck.line.bad') : null}
        maxLength={2000}
        spellCheck={false}
        autoComplete="off"
        value={line}
        onChange={setLine}
      />
    </AddForm>
  )
}

/** The user's commands that hear of each message of the open folder before it is sent. */
export function SubmitHooks() {
  const { t } = useWords()
  const folder = useApp((state) => state.work.current?.name ?? null)
  const { value, update } = useApp((state) => state.workSettings)
  const hooks = value.submitHooks
  const isTrusted = useApp((state) => state.consent.trust?.isTrusted === true)
  const save = (change: (hooks: SubmitHook[]) => SubmitHook[]) =>
    void update(({ submitHooks }) => ({ submitHooks: change(submitHooks) }))
  if (folder === null) return null
  return (
    <section className="tool-part" aria-label={t('hook.title', { folder })}>
      <h3 className="label">{t('hook.title', { folder })}</h3>
      <p className="small dim">{t('hook.hint')}</p>
      {!isTrusted && <p className="small">{t('hook.untrusted')}</p>}
      {hooks.length === 0 && <p className="small">{t('hook.none')}</p>}
      <ul className="tool-rows">
        {hooks.map((hook) => (
          <ToolRow
            key={hook.name}
            title={<b>{hook.name}</b>}
            onLabel={t('hook.on', { name: hook.name })}
            removeLabel={t('hook.remove', { name: hook.name })}
            isOn={hook.isOn}
            onSwitch={(isOn) =>
              save((all) => all.map((one) => (one.name === hook.name ? { ...one, isOn } : one)))
            }
            onRemove={() => save((all) => all.filter((one) => one.name !== hook.name))}
          >
            <code className="small">
              <Pieces text={hook.line} />
            </code>
          </ToolRow>
        ))}
      </ul>
      {hooks.length < limitSubmitHooks && (
        <HookForm
          names={hooks.map(({ name }) => name)}
          onAdd={(hook) => save((all) => [...all.filter((one) => one.name !== hook.name), hook])}
        />
      )}
    </section>
  )
}

function HookForm({ names, onAdd }: { names: readonly string[]; onAdd: (hook: SubmitHook) => void }) {
  const { t } = useWords()
  const [name, setName] = useState('')
  const [line, setLine] = useState('')
  const [isTried, setIsTried] = useState(false)
  const hook = SubmitHook.safeParse({ name, line, isOn: true }).data ?? null
  const isNameFree = SubmitHook.shape.name.safeParse(name).success && !names.includes(name.trim())
  const add = () => {
    setIsTried(true)
    if (hook === null || !isNameFree) return false
    onAdd(hook)
    return true
  }
  const clear = () => {
    setName('')
    setLine('')
    setIsTried(false)
  }
  return (
    <AddForm label={t('hook.add')} onAdd={add} onClear={clear}>
      <TextField
        label={t('hook.name')}
        error={isTried && !isNameFree ? t('hook.name.bad') : null}
        maxLength={40}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <TextField
        label={t('hook.line')}
        hint={t('hook.line.hint')}
        error={isTried && line.trim() === '' ? t('hook.line.bad') : null}
        maxLength={2000}
        spellCheck={false}
        autoComplete="off"
        value={line}
        onChange={setLine}
      />
    </AddForm>
  )
}
