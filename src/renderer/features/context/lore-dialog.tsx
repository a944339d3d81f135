import { useEffect, useState } from 'react'
import { type LoreReport, LoreSettings } from '../../../shared/domain/lore/lore.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

type LoreDialogProps = { path: string; proposedKeys: readonly string[] }

/** The settings of a lore entry, or of a material that becomes one. They are written into the file itself. */
export function LoreDialog({ path, proposedKeys }: LoreDialogProps) {
  const { t } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const { entries, update } = useApp((state) => state.lore)
  const goTo = useApp((state) => state.documents.goTo)
  const known = entries.find((entry) => entry.path === path)
  const unreadable = known?.problems.find((problem) => problem.kind === 'front-matter')
  const [settings, setSettings] = useState<LoreSettings>(() =>
    // New front matter begins with the default values.
    known && unreadable?.fields.length !== 0
      ? LoreSettings.parse(known)
      : { ...LoreSettings.parse({}), keys: [...proposedKeys] },
  )
  const change = (patch: Partial<LoreSettings>) => setSettings((before) => ({ ...before, ...patch }))
  const hasBadPattern = [...settings.keys, ...settings.also, ...settings.never].some(isBadPattern)
  const slowKeys = slowKeysOf(
    useApp((state) => state.preview.value?.lore?.problems),
    path,
  )
  const save = async () => {
    if (!(await update(path, settings))) return
    // An expression that turns out to be slow is told beside its field, once.
    const found = slowKeysOf(store.getState().preview.value?.lore?.problems, path)
    if (found.every((key) => slowKeys.includes(key))) close()
  }
  return (
    <Dialog
      title={known ? t('lore.dialog.edit', { name: known.name }) : t('lore.dialog.make', { path })}
      description={t('lore.dialog.about')}
      footer={
        <>
          <Button
            variant="quiet"
            onClick={() => {
              close()
              goTo(path)
            }}
          >
            {t('lore.openFile')}
          </Button>
          <Button variant="primary" disabled={hasBadPattern} onClick={() => void save()}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      {unreadable && (
        <Notice tone="bad">
          {unreadable.line !== null && t('lore.unreadable.line', { line: unreadable.line })}
          {t(unreadable.fields.length === 0 ? 'lore.unreadable.whole' : 'lore.unreadable.values', {
            reason: unreadable.reason,
          })}
        </Notice>
      )}
      <div className="settings-list lore-settings">
        {(['keys', 'also', 'never'] as const).map((name) => (
          <KeysField
            key={name}
            label={t(`lore.${name}`)}
            hint={t(`lore.${name}.hint`)}
            keys={settings[name]}
            slowKeys={slowKeys}
            onChange={(keys) => change({ [name]: keys })}
          />
        ))}
        <CheckField
          label={t('lore.always')}
          hint={t('lore.always.hint')}
          value={settings.always}
          onChange={(always) => change({ always })}
        />
        <NumberField
          label={t('lore.priority')}
          hint={t('lore.priority.hint')}
          min={0}
          max={100}
          value={settings.priority}
          onCommit={(priority) => change({ priority })}
        />
        <RangeField value={settings.range} onChange={(range) => change({ range })} />
        <CheckField
          label={t('lore.enabled')}
          value={settings.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </div>
    </Dialog>
  )
}

type KeysFieldProps = {
  label: string
  hint: string
  keys: readonly string[]
  slowKeys: readonly string[]
  onChange: (keys: string[]) => void
}

/** One key a line. */
function KeysField({ label, hint, keys, slowKeys, onChange }: KeysFieldProps) {
  const { t } = useWords()
  const [typed, setTyped] = useState(keys.join('\n'))
  const badPattern = keys.find(isBadPattern)
  const slowPattern = keys.find((key) => slowKeys.includes(key))
  const error =
    badPattern !== undefined
      ? t('lore.badPattern', { key: badPattern })
      : slowPattern !== undefined
        ? t('lore.slowPattern', { key: slowPattern })
        : null
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          className="textarea"
          rows={Math.min(6, Math.max(2, keys.length))}
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            onChange(event.target.value.split('\n').filter((line) => line.trim() !== ''))
          }}
        />
      )}
    </Field>
  )
}

type RangeFieldProps = { value: LoreSettings['range']; onChange: (value: LoreSettings['range']) => void }

function RangeField({ value, onChange }: RangeFieldProps) {
  const { t } = useWords()
  const set = (end: Partial<NonNullable<typeof value>>) => {
    const next = { from: null, to: null, ...value, ...end }
    onChange(next.from === null && next.to === null ? null : next)
  }
  return (
    <Field label={t('lore.range')} hint={t('lore.range.hint')} layout="row">
      {(ids) => (
        <span className="row">
          <ChapterInput
            ids={ids}
            label={t('lore.range.from')}
            value={value?.from ?? null}
            onCommit={(from) => set({ from })}
          />
          –
          <ChapterInput label={t('lore.range.to')} value={value?.to ?? null} onCommit={(to) => set({ to })} />
        </span>
      )}
    </Field>
  )
}

type ChapterInputProps = {
  ids?: object
  label: string
  value: number | null
  onCommit: (value: number | null) => void
}

/** A field that is read when it is left or confirmed: text that an input method still composes is no number. */
function ChapterInput({ ids, label, value, onCommit }: ChapterInputProps) {
  const [typed, setTyped] = useState(String(value ?? ''))
  useEffect(() => setTyped(String(value ?? '')), [value])
  const commit = (text: string) => {
    const chapterNumber = Number.parseInt(text.normalize('NFKC'), 10)
    const kept = chapterNumber > 0 ? chapterNumber : null
    setTyped(String(kept ?? ''))
    if (kept !== value) onCommit(kept)
  }
  return (
    <input
      {...ids}
      className="input input-number"
      inputMode="numeric"
      aria-label={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={(event) => commit(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit(event.currentTarget.value)
      }}
    />
  )
}

/** Returns the expressions of an entry that did not end in time. */
function slowKeysOf(problems: LoreReport['problems'] | undefined, path: string): string[] {
  return (problems ?? []).flatMap(({ path: of, problem }) =>
    of === path && problem.kind === 'slow-pattern' ? [problem.key] : [],
  )
}

function isBadPattern(key: string): boolean {
  const source = /^\/(.+)\/$/su.exec(key)?.[1]
  if (source === undefined) return false
  try {
    new RegExp(source, 'gmui')
    return false
  } catch {
    return true
  }
}
