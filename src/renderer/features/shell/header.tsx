import './header.css'
import { keysOfId } from '../../state/commands/commands.ts'
import { saveStateOf } from '../../state/reducers/document-reducer.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { isPaneOpen } from '../../state/slices/ui-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { IconButton, PlainButton } from '../../ui/button.tsx'
import { optionsOf } from '../../ui/fields/choice-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'

export function Header() {
  const { t } = useWords()
  const work = useApp((state) => state.work.current)
  const path = useApp((state) => state.documents.activePath)
  const ui = useApp((state) => state.ui)
  const paletteKeys = useApp((state) => keysOfId('palette', state)) ?? []
  const isSession = work !== null && ui.view === 'session'

  return (
    <header className="header">
      {work && (
        <IconButton
          icon="panelLeft"
          label={t('command.paneFiles')}
          aria-pressed={isPaneOpen(ui, 'files')}
          onClick={() => ui.togglePane('files')}
        />
      )}
      <h1 className="header-work clip">{work?.name ?? t('app.name')}</h1>
      {isSession ? <SessionTitle /> : path !== null && <span className="dim clip">{displayName(path)}</span>}
      <span className="grow" />
      {!isSession && path !== null && <SaveState path={path} />}
      {work && <ViewSwitch />}
      <Tooltip text={t('command.palette')} keys={paletteKeys}>
        <PlainButton className="header-palette" onClick={() => ui.open({ kind: 'palette' })}>
          {paletteKeys.length > 0 ? (
            <>
              <span className="visually-hidden">{t('command.palette')}</span> <Kbd keys={paletteKeys} />
            </>
          ) : (
            t('command.palette')
          )}
        </PlainButton>
      </Tooltip>
      <IconButton
        icon="settings"
        label={t('command.settings')}
        onClick={() => ui.open({ kind: 'settings', section: 'general' })}
      />
      {work && (
        <IconButton
          icon="panelRight"
          label={t('command.paneSide')}
          aria-pressed={isPaneOpen(ui, 'side')}
          onClick={() => ui.togglePane('side')}
        />
      )}
    </header>
  )
}

function ViewSwitch() {
  const { t } = useWords()
  const { view, showView } = useApp((state) => state.ui)
  return (
    <Segmented
      label={t('view.label')}
      value={view}
      options={optionsOf(['manuscript', 'session'], (value) => t(`view.${value}`))}
      onChange={showView}
    />
  )
}

function SessionTitle() {
  const { t } = useWords()
  const session = useApp(({ sessions, conversation }) =>
    sessions.list.find((one) => one.sessionId === conversation.current?.sessionId),
  )
  if (!session) return null
  return <span className="dim clip">{session.title || t('session.untitled')}</span>
}

function SaveState({ path }: { path: string }) {
  const { t } = useWords()
  const state = useApp((app) => {
    const view = app.documents.byPath[path]
    return view ? saveStateOf(view) : 'opening'
  })
  const isBad = state === 'failed' || state === 'conflict'
  return (
    <span className={isBad ? 'header-save header-save-bad' : 'header-save'} role="status">
      {isBad && <Icon name="warn" size={14} />}
      {state === 'read-only' && <Icon name="lock" size={14} />}
      {state !== 'opening' && t(`save.${state}`)}
    </span>
  )
}
