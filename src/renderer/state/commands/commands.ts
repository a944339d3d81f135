import type { KeyPress } from '../../../shared/text/key-press.ts'
import type { AppState } from '../app-state.ts'
import type { AppStore } from '../app-store.ts'
import { continueDraft } from '../continue-draft.ts'
import type { DialogView, SettingsSection } from '../slices/ui-slice.ts'
import { activeRun, isEndless } from '../slices/work/runs-slice.ts'
import { languageOf } from '../store-context.tsx'
import { action, always, type Command, hasWork, opening, picker } from './command.ts'
import { isHeard, keysOf } from './key-bindings.ts'
import { sessionCommands } from './session-commands.ts'
import { workCommands } from './work-commands.ts'

const isManuscript = (state: AppState) => state.ui.view === 'manuscript'
const hasShownWork = (state: AppState) => hasWork(state) && isManuscript(state)
const hasFile = (state: AppState) => state.documents.activePath !== null && isManuscript(state)
const isIdea = (state: AppState) => state.ideas.mode === 'idea'
const canChangeMode = (state: AppState) => activeRun(state.runs) === null && !isEndless(state.runs)
const canStart = (state: AppState) =>
  (hasFile(state) || (isIdea(state) && hasShownWork(state))) && canChangeMode(state)
const hasOffer = (state: AppState) =>
  isManuscript(state) && state.runs.offers[state.documents.activePath ?? ''] !== undefined

/** Shows the counts and the days, with what was written a moment ago. */
export function openWriting(store: AppStore): void {
  void store.getState().writing.tell()
  store.getState().ui.open({ kind: 'writing' })
}

/** Starts endless generation of what the mode asks for; called again, ends it. */
function toggleEndless(store: AppStore): void {
  const state = store.getState()
  if (isEndless(state.runs)) void state.runs.stop()
  else if (isIdea(state)) void state.runs.start({ idea: { target: 'all' }, isEndless: true })
  else continueDraft(store, { isEndless: true })
}

const acceptOffer = (_: AppState, { editor }: AppStore) => editor.current?.acceptPending()
const acceptSentence = (_: AppState, { editor }: AppStore) => editor.current?.acceptSentence()

function openWords({ documents, runs, words }: AppState): void {
  const offer = runs.offers[documents.activePath ?? '']
  if (offer) void words.open(offer.takeId, 0)
}

function toggleUncertain({ settings, models, ui }: AppState): void {
  const marksUncertain = !settings.value.drafting.marksUncertain
  void settings.updateDrafting({ marksUncertain })
  if (marksUncertain && models.status.tellsChances === false) ui.toast({ key: 'drafting.uncertain.cannot' })
}

const drafting: Command[] = [
  {
    id: 'draft.start',
    title: 'command.draftStart',
    keys: ['Ctrl', 'Enter'],
    otherKeys: [['Ctrl', 'G']],
    isEnabled: canStart,
    run: (store) =>
      isIdea(store.getState()) ? void store.getState().ideas.start('all') : continueDraft(store),
  },
  action(
    'draft.startHere',
    'command.draftStartHere',
    (state) => canStart(state) && hasFile(state),
    ({ runs }, { editor }) => {
      const endAt = editor.current?.figures().caret
      return runs.start(endAt === undefined ? {} : { endAt })
    },
    'Ctrl Shift Enter',
  ),
  { ...action('draft.accept', 'command.draftAccept', hasOffer, acceptOffer, 'Tab'), scope: 'editor' },
  {
    ...action('draft.acceptSentence', 'command.draftAcceptSentence', hasOffer, acceptSentence, 'Ctrl →'),
    scope: 'editor',
  },
  action('draft.retry', 'command.draftRetry', hasFile, ({ runs }) => runs.nextOrNew(), 'Alt R'),
  action(
    'draft.stop',
    'command.draftStop',
    ({ runs }) => activeRun(runs) !== null || isEndless(runs) || runs.isStarting,
    ({ runs }) => runs.stop(),
  ),
  {
    id: 'draft.endless',
    title: 'command.draftEndless',
    keys: ['Ctrl', 'Alt', 'G'],
    desktopKeys: ['F5'],
    otherKeys: [['Ctrl', 'Shift', 'G']],
    isEnabled: (state) => canStart(state) || isEndless(state.runs),
    run: toggleEndless,
  },
  {
    ...action('draft.previousTake', 'editor.previousTake', hasOffer, ({ runs }) => runs.swap(-1), 'Alt ←'),
    macKeys: ['Ctrl', 'Alt', '←'],
    scope: 'editor',
  },
  {
    ...action('draft.nextTake', 'editor.nextTake', hasOffer, ({ runs }) => runs.swap(1), 'Alt →'),
    macKeys: ['Ctrl', 'Alt', '→'],
    scope: 'editor',
  },
  action(
    'draft.three',
    'command.draftThree',
    (state) => canStart(state) && hasFile(state) && !isIdea(state),
    (_, store) => continueDraft(store, { takes: 3 }),
    'Ctrl Alt M',
  ),
  {
    ...action('draft.words', 'command.draftWords', hasOffer, openWords, 'Alt ↓'),
    macKeys: ['Ctrl', 'Alt', '↓'],
    scope: 'editor',
  },
  action('draft.uncertain', 'command.draftUncertain', hasShownWork, toggleUncertain),
  action(
    'draft.rewrite',
    'command.draftRewrite',
    (state) => hasFile(state) && !state.writing.isVertical && canChangeMode(state),
    (state) => state.rewrite.open(languageOf(state)),
    'Ctrl Alt W',
  ),
  ...(['idea', 'generate'] as const).map((mode) => ({
    ...action(
      `draft.mode.${mode}`,
      `command.draftMode.${mode}`,
      (state) => hasShownWork(state) && state.ideas.mode !== mode && canChangeMode(state),
      ({ ideas }) => ideas.setMode(mode),
      'Alt I',
    ),
    binding: 'draft.mode',
  })),
  action(
    'ideas.transferAll',
    'ideas.transferAll',
    (state) => isIdea(state) && hasShownWork(state),
    ({ ideas }) => ideas.transfer('all'),
  ),
  action(
    'ideas.undoTransfer',
    'command.undoTransfer',
    ({ ideas }) => ideas.transferred !== null,
    ({ ideas }) => ideas.undoTransfer(),
  ),
]

const files: Command[] = [
  opening('work.open', 'command.workOpen', always, picker('open-work'), 'Ctrl O'),
  opening('work.create', 'command.workCreate', always, picker('create-work')),
  action('work.sample', 'command.workSample', always, (state) => state.work.openSample(languageOf(state))),
  opening('work.removed', 'command.workRemoved', hasWork, { kind: 'removed-files' }),
  opening('work.export', 'command.workExport', hasWork, picker('export-project')),
  action('work.close', 'command.workClose', hasWork, ({ work }) => work.close()),
  action(
    'file.save',
    'command.fileSave',
    hasFile,
    ({ documents }) => documents.activePath !== null && documents.save(documents.activePath),
    'Ctrl S',
  ),
  action('file.snapshot', 'command.fileSnapshot', hasFile, ({ history }) => history.snapshot()),
  {
    id: 'editor.ruby',
    title: 'command.editorRuby',
    keys: ['Ctrl', 'Alt', 'R'],
    desktopKeys: ['Ctrl', 'R'],
    isEnabled: (state) => hasFile(state) && !state.writing.isVertical,
    run: (store) => {
      const { ui } = store.getState()
      if (store.editor.current?.rubyTarget()) ui.open({ kind: 'ruby' })
      else ui.toast({ key: 'ruby.noTarget' })
    },
  },
  action(
    'editor.vertical',
    'command.editorVertical',
    hasFile,
    ({ writing }) => writing.showVertical(!writing.isVertical),
    'Ctrl Alt V',
  ),
  action(
    'editor.typewriter',
    'command.editorTypewriter',
    isManuscript,
    ({ settings: { value, update } }) => update({ editor: { isTypewriter: !value.editor.isTypewriter } }),
    'F8',
  ),
  action(
    'editor.focusMode',
    'command.editorFocusMode',
    isManuscript,
    ({ settings: { value, update } }) => update({ editor: { isFocusMode: !value.editor.isFocusMode } }),
    'F9',
  ),
  { id: 'writing', title: 'command.writing', isEnabled: hasShownWork, run: openWriting },
  action(
    'editor.search',
    'command.editorSearch',
    hasFile,
    (_, store) => store.editor.current?.openSearch(),
    'Ctrl F',
  ),
]

const inSettings = (section: SettingsSection): DialogView => ({ kind: 'settings', section })

const view: Command[] = [
  {
    ...opening('palette', 'command.palette', always, { kind: 'palette' }, 'Ctrl Alt P'),
    desktopKeys: ['Ctrl', 'Shift', 'P'],
    otherKeys: [['Ctrl', 'Shift', 'P']],
  },
  opening('settings', 'command.settings', always, inSettings('general'), 'Ctrl ,'),
  opening('settings.models', 'command.settingsModels', always, inSettings('models')),
  opening('settings.shortcuts', 'command.settingsShortcuts', always, inSettings('shortcuts')),
  opening('model.addServer', 'models.addServer', always, { kind: 'add-server' }),
  opening('settings.suggestions', 'command.settingsSuggestions', always, inSettings('suggestions')),
  action('pane.files', 'command.paneFiles', hasWork, ({ ui }) => ui.togglePane('files'), 'Ctrl Shift 1'),
  action('pane.side', 'command.paneSide', hasWork, ({ ui }) => ui.togglePane('side'), 'Ctrl Shift 2'),
  action('editor.focus', 'command.editorFocus', hasFile, (_, store) => store.editor.current?.focus()),
  ...(['details', 'takes', 'context', 'memo', 'history'] as const).map((tab) =>
    action(`tab.${tab}`, `command.tab.${tab}`, hasShownWork, ({ ui }) => ui.goToTab(tab)),
  ),
  ...(['system', 'light', 'dark', 'sepia'] as const).map((theme) =>
    action(
      `theme.${theme}`,
      `command.theme.${theme}`,
      ({ settings }) => settings.value.theme !== theme,
      ({ settings }) => settings.update({ theme }),
    ),
  ),
]

export const commands: readonly Command[] = [
  ...drafting,
  ...files,
  ...workCommands,
  ...sessionCommands,
  ...view,
]

/** Returns the command that a key press asks for, except for keys that the editor hears by itself. */
export function commandFor(press: KeyPress, state: AppState): Command | undefined {
  return commands.find(
    (command) => command.scope !== 'editor' && isHeard(command, press, state) && command.isEnabled(state),
  )
}

/** True for the keys that save, whether or not there is anything to save. */
export function isSave(press: KeyPress, state: AppState): boolean {
  return files.some((command) => command.id === 'file.save' && isHeard(command, press, state))
}

/** Returns the keys of a command by its id, for display alone; undefined: none. */
export function keysOfId(
  id: string,
  state: Pick<AppState, 'connection' | 'settings'>,
): readonly string[] | undefined {
  const command = commands.find((one) => one.id === id)
  return command && keysOf(command, state)
}
