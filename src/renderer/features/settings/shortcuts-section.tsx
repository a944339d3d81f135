import './shortcuts.css'
import { type KeyboardEvent, useState } from 'react'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { keysOfPress } from '../../../shared/text/key-press.ts'
import type { Command } from '../../state/commands/command.ts'
import { commands } from '../../state/commands/commands.ts'
import {
  bindingOf,
  canChoose,
  hostKind,
  keysOf,
  ownerOf,
  troubleOf,
} from '../../state/commands/key-bindings.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'

/** A press that was heard for a command: its keys, and the objections to them. */
type Asked = { binding: string; keys: string[]; owner: Command | null; isOfBrowser: boolean }

/** Lists commands by the names under which their keys are chosen; those that have keys come first. */
function listed(): { binding: string; of: Command[] }[] {
  const names = [...new Set(commands.map(bindingOf))]
  const groups = names.map((binding) => ({
    binding,
    of: commands.filter((one) => bindingOf(one) === binding),
  }))
  const hasKeys = ({ of }: { of: Command[] }) => Number(of.some(({ keys }) => keys !== undefined))
  return groups.toSorted((left, right) => hasKeys(right) - hasKeys(left))
}

/** Every command with its keys in this host; a press of a row listens for others. */
export function ShortcutsSection() {
  const { t } = useWords()
  const store = useAppStore()
  const { value, update } = useApp((state) => state.settings)
  const host = useApp(hostKind)
  const [listening, setListening] = useState<string | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [problem, setProblem] = useState<{ binding: string; key: MessageKey } | null>(null)
  const chosen = value.shortcuts[host]

  type Chosen = typeof chosen
  const choose = (change: (former: Chosen) => Chosen) =>
    void update(({ shortcuts }) => ({ shortcuts: { ...shortcuts, [host]: change(shortcuts[host]) } }))
  const keep = (changes: Record<string, string[]>) => {
    setAsked(null)
    setListening(null)
    choose((former) => ({ ...former, ...changes }))
  }
  const reset = (binding: string) => choose(({ [binding]: _gone, ...rest }) => rest)
  const hear = (binding: string) => (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') return setListening(null)
    if (event.key === 'Backspace' || event.key === 'Delete') return keep({ [binding]: [] })
    const keys = keysOfPress(event.nativeEvent)
    if (keys === null) return
    const trouble = troubleOf(keys, host)
    if (trouble !== null && trouble !== 'used-by-browser') {
      return setProblem({ binding, key: `shortcuts.${trouble}` })
    }
    setProblem(null)
    const owner = ownerOf(commands, keys, binding, store.getState()) ?? null
    const isOfBrowser = trouble === 'used-by-browser'
    if (owner === null && !isOfBrowser) return keep({ [binding]: keys })
    setListening(null)
    setAsked({ binding, keys, owner, isOfBrowser })
  }
  const overrule = ({ binding, keys, owner }: Asked) =>
    keep({ ...(owner && canChoose(owner, host) && { [bindingOf(owner)]: [] }), [binding]: keys })

  return (
    <>
      <div className="row">
        <p className="small dim grow">{t(`shortcuts.hint.${host}`)}</p>
        <Button disabled={Object.keys(chosen).length === 0} onClick={() => choose(() => ({}))}>
          {t('shortcuts.resetAll')}
        </Button>
      </div>
      <ul className="shortcut-list">
        {listed().map(({ binding, of }) => {
          const [first] = of
          if (first === undefined) return null
          const title = of.map((one) => t(one.title)).join(' / ')
          const keys = keysOf(first, store.getState()) ?? []
          const isFree = of.every((one) => canChoose(one, host))
          const name = keys.length === 0 ? t('shortcuts.none') : keys.join('+')
          return (
            <li key={binding} className="shortcut-row">
              <span className="grow">{title}</span>
              {isFree ? (
                <button
                  type="button"
                  className="button button-normal shortcut-keys"
                  aria-label={listening === binding ? t('shortcuts.press') : `${title}: ${name}`}
                  onClick={() => {
                    setProblem(null)
                    setAsked(null)
                    setListening(listening === binding ? null : binding)
                  }}
                  onBlur={() => setListening(null)}
                  {...(listening === binding ? { onKeyDown: hear(binding) } : {})}
                >
                  {listening === binding ? (
                    t('shortcuts.press')
                  ) : keys.length > 0 ? (
                    <Kbd keys={keys} />
                  ) : (
                    name
                  )}
                </button>
              ) : (
                <span className="row small dim" title={t('shortcuts.fixed')}>
                  <Kbd keys={keys} /> {t('shortcuts.fixed')}
                </span>
              )}
              {chosen[binding] !== undefined && (
                <Button
                  variant="quiet"
                  aria-label={`${t('shortcuts.reset')}: ${title}`}
                  onClick={() => reset(binding)}
                >
                  {t('shortcuts.reset')}
                </Button>
              )}
              {problem?.binding === binding && (
                <p className="small field-error shortcut-note" role="alert">
                  {t(problem.key)}
                </p>
              )}
              {asked?.binding === binding && (
                <div className="row shortcut-note" role="alert">
                  <span className="grow small">
                    <Kbd keys={asked.keys} />{' '}
                    {asked.owner !== null
                      ? t('shortcuts.inUse', { command: t(asked.owner.title) })
                      : t('shortcuts.ofBrowser')}
                  </span>
                  <Button onClick={() => setAsked(null)}>{t('action.cancel')}</Button>
                  {(asked.owner === null || canChoose(asked.owner, host)) && (
                    <Button onClick={() => overrule(asked)}>{t('shortcuts.useAnyway')}</Button>
                  )}
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}
