import './palette.css'
import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useRef } from 'react'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { commands } from '../../state/commands/commands.ts'
import { keysOf } from '../../state/commands/key-bindings.ts'
import { displayName, filesOf } from '../../state/reducers/work-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useOpener } from '../../ui/kept-focus.ts'

/** Returns further words that find a command: the words of other programs. */
function otherWords(id: string, t: Translate): string[] {
  const key = `palette.also.${id}`
  return isMessageKey(key) ? t(key).split(' ') : []
}

/** All commands by name, and the files of the work. */
export function Palette() {
  const { t } = useWords()
  const store = useAppStore()
  const work = useApp((state) => state.work.current)
  const close = useApp((state) => state.ui.close)
  const state = store.getState()
  const offered = commands.filter((command) => command.id !== 'palette' && command.isEnabled(state))
  const files = [...filesOf(work, 'manuscript'), ...filesOf(work, 'material')]

  const giveBack = useOpener()
  const chosen = useRef<() => void>(null)
  const run = (task: () => void) => {
    chosen.current = task
    close()
  }
  // A command may take the focus, so it runs after the focus was given back.
  const closed = (event: Event) => {
    giveBack(event)
    chosen.current?.()
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-veil" />
        <Dialog.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={closed}>
          <Dialog.Title className="visually-hidden">{t('command.palette')}</Dialog.Title>
          <Command label={t('command.palette')} loop>
            <Command.Input className="palette-input" placeholder={t('palette.placeholder')} autoFocus />
            <Command.List className="palette-list" label={t('command.palette')}>
              <Command.Empty className="palette-empty">{t('palette.empty')}</Command.Empty>
              <Command.Group heading={t('palette.commands')}>
                {offered.map((command) => (
                  <Command.Item
                    key={command.id}
                    value={`${command.id} ${t(command.title)}`}
                    keywords={otherWords(command.id, t)}
                    className="palette-item"
                    onSelect={() => run(() => command.run(store))}
                  >
                    <span className="grow">{t(command.title)}</span>
                    <Kbd keys={keysOf(command, state) ?? []} />
                  </Command.Item>
                ))}
              </Command.Group>
              {files.length > 0 && (
                <Command.Group heading={t('palette.files')}>
                  {files.map((file) => (
                    <Command.Item
                      key={file.path}
                      value={`file ${file.path}`}
                      className="palette-item"
                      onSelect={() => run(() => store.getState().documents.goTo(file.path))}
                    >
                      {displayName(file.path)}
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
