import type { KeyPress } from '../../../shared/text/key-press.ts'
import type { AppState } from '../app-state.ts'
import type { AppStore } from '../app-store.ts'
import { continueDraft } from '../continue-draft.ts'
import { activeRun, isEndless } from '../slices/work/runs-slice.ts'
import { languageOf } from '../store-context.tsx'
import { workCommands } from '../work-commands.ts'
import type { Command } from './command.ts'
import { gateCommands } from './gate-commands.ts'
import { isHeard, keysOf } from './key-bindings.ts'
import { sessionCommands } from './session-commands.ts'

const always = () => true
const hasWork = (state: AppState) => state.work.current !== null
const isManuscript = (state: AppState) => state.ui.view === 'manuscript'
const hasFile = (state: AppState) => state.documents.activePath !== null && isManuscript(state)
const isIdea = (state: AppState) => state.ideas.mode === 'idea'
const canWrite = (state: AppState) =>
  hasFile(state) || (isIdea(state) && hasWork(state) && isManuscript(state))
const canStart = (state: AppState) =>
  canWrite(state) && activeRun(state.runs) === null && !isEndless(state.runs)
const hasOffer = (state: AppState) =>
  isManuscript(state) && state.runs.offers[state.documents.activePath ?? ''] !== undefined

/** Shows the counts and the days, with what was written a moment ago. */
export function openWriting(store: AppStore): void {
  void store.getState().writing.tell()
  store.getState().ui.open({ kind: 'writing' })
}

const canChangeMode = (state: AppState) => activeRun(state.runs) === null && !isEndless(state.runs)

/** Starts endless generation of what the mode asks for; called again, ends it. */
function toggleEndless(store: AppStore): void {
  const state = store.getState()
  if (isEndless(state.runs)) void state.runs.stop()
  else if (isIdea(state)) void state.runs.start({ idea: { target: 'all' }, isEndless: true })
  else continueDraft(store, { isEndless: true })
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
  {
    id: 'draft.startHere',
    title: 'command.draftStartHere',
    keys: ['Ctrl', 'Shift', 'Enter'],
    isEnabled: (state) => canStart(state) && hasFile(state),
    run: (store) => {
      const endAt = store.editor.current?.figures().caret
      void store.getState().runs.start(endAt === undefined ? {} : { endAt })
    },
  },
  {
    id: 'draft.accept',
    title: 'command.draftAccept',
    keys: ['Tab'],
    scope: 'editor',
    isEnabled: hasOffer,
    run: (store) => void store.editor.current?.acceptPending(),
  },
  {
    id: 'draft.acceptSentence',
    title: 'command.draftAcceptSentence',
    keys: ['Ctrl', '→'],
    scope: 'editor',
    isEnabled: hasOffer,
    run: (store) => void store.editor.current?.acceptSentence(),
  },
  {
    id: 'draft.retry',
    title: 'command.draftRetry',
    keys: ['Alt', 'R'],
    isEnabled: hasFile,
    run: (store) => store.getState().runs.nextOrNew(),
  },
  {
    id: 'draft.stop',
    title: 'command.draftStop',
    isEnabled: ({ runs }) => activeRun(runs) !== null || isEndless(runs) || runs.isStarting,
    run: (store) => void store.getState().runs.stop(),
  },
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
    id: 'draft.previousTake',
    title: 'editor.previousTake',
    keys: ['Alt', '←'],
    macKeys: ['Ctrl', 'Alt', '←'],
    scope: 'editor',
    isEnabled: hasOffer,
    run: (store) => store.getState().runs.swap(-1),
  },
  {
    id: 'draft.nextTake',
    title: 'editor.nextTake',
    keys: ['Alt', '→'],
    macKeys: ['Ctrl', 'Alt', '→'],
    scope: 'editor',
    isEnabled: hasOffer,
    run: (store) => store.getState().runs.swap(1),
  },
  {
    id: 'draft.three',
    title: 'command.draftThree',
    keys: ['Ctrl', 'Alt', 'M'],
    isEnabled: (state) => canStart(state) && hasFile(state) && !isIdea(state),
    run: (store) => continueDraft(store, { takes: 3 }),
  },
  {
    id: 'draft.words',
    title: 'command.draftWords',
    keys: ['Alt', '↓'],
    macKeys: ['Ctrl', 'Alt', '↓'],
    scope: 'editor',
    isEnabled: hasOffer,
    run: (store) => {
      const { documents, runs, words } = store.getState()
      const offer = runs.offers[documents.activePath ?? '']
      if (offer) void words.open(offer.takeId, 0)
    },
  },
  {
    id: 'draft.uncertain',
    title: 'command.draftUncertain',
    isEnabled: (state) => hasWork(state) && isManuscript(state),
    run: (store) => {
      const { settings, models, ui } = store.getState()
      const marksUncertain = !settings.value.drafting.marksUncertain
      void settings.updateDrafting({ marksUncertain })
      if (marksUncertain && models.status.tellsChances === false)
        ui.toast({ key: 'drafting.uncertain.cannot' })
    },
  },
  {
    id: 'draft.rewrite',
    title: 'command.draftRewrite',
    keys: ['Ctrl', 'Alt', 'W'],
    isEnabled: (state) => hasFile(state) && !state.writing.isVertical && canChangeMode(state),
    run: (store) => void store.getState().rewrite.open(languageOf(store.getState())),
  },
  ...(['idea', 'generate'] as const).map(
    (mode): Command => ({
      id: `draft.mode.${mode}`,
      binding: 'draft.mode',
      title: `command.draftMode.${mode}`,
      keys: ['Alt', 'I'],
      isEnabled: (state) =>
        hasWork(state) && isManuscript(state) && state.ideas.mode !== mode && canChangeMode(state),
      run: (store) => store.getState().ideas.setMode(mode),
    }),
  ),
  {
    id: 'ideas.transferAll',
    title: 'ideas.transferAll',
    isEnabled: (state) => isIdea(state) && hasWork(state) && isManuscript(state),
    run: (store) => void store.getState().ideas.transfer('all'),
  },
  {
    id: 'ideas.undoTransfer',
    title: 'command.undoTransfer',
    isEnabled: (state) => state.ideas.transferred !== null,
    run: (store) => void store.getState().ideas.undoTransfer(),
  },
]

const files: Command[] = [
  {
    id: 'work.open',
    title: 'command.workOpen',
    keys: ['Ctrl', 'O'],
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'open-work' }),
  },
  {
    id: 'work.create',
    title: 'command.workCreate',
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'create-work' }),
  },
  {
    id: 'work.sample',
    title: 'command.workSample',
    isEnabled: always,
    run: (store) => void store.getState().work.openSample(languageOf(store.getState())),
  },
  {
    id: 'work.removed',
    title: 'command.workRemoved',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'removed-files' }),
  },
  {
    id: 'work.export',
    title: 'command.workExport',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'export-project' }),
  },
  {
    id: 'work.close',
    title: 'command.workClose',
    isEnabled: hasWork,
    run: (store) => store.getState().work.close(),
  },
  {
    id: 'file.save',
    title: 'command.fileSave',
    keys: ['Ctrl', 'S'],
    isEnabled: hasFile,
    run: (store) => {
      const { documents } = store.getState()
      if (documents.activePath !== null) void documents.save(documents.activePath)
    },
  },
  {
    id: 'file.snapshot',
    title: 'command.fileSnapshot',
    isEnabled: hasFile,
    run: (store) => void store.getState().history.snapshot(),
  },
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
  {
    id: 'editor.vertical',
    title: 'command.editorVertical',
    keys: ['Ctrl', 'Alt', 'V'],
    isEnabled: hasFile,
    run: (store) => {
      const { writing } = store.getState()
      writing.showVertical(!writing.isVertical)
    },
  },
  {
    id: 'editor.typewriter',
    title: 'command.editorTypewriter',
    keys: ['F8'],
    isEnabled: isManuscript,
    run: (store) => {
      const { value, update } = store.getState().settings
      void update({ editor: { isTypewriter: !value.editor.isTypewriter } })
    },
  },
  {
    id: 'editor.focusMode',
    title: 'command.editorFocusMode',
    keys: ['F9'],
    isEnabled: isManuscript,
    run: (store) => {
      const { value, update } = store.getState().settings
      void update({ editor: { isFocusMode: !value.editor.isFocusMode } })
    },
  },
  {
    id: 'writing',
    title: 'command.writing',
    isEnabled: (state) => hasWork(state) && isManuscript(state),
    run: (store) => openWriting(store),
  },
  {
    id: 'editor.search',
    title: 'command.editorSearch',
    keys: ['Ctrl', 'F'],
    isEnabled: hasFile,
    run: (store) => store.editor.current?.openSearch(),
  },
]

const view: Command[] = [
  {
    id: 'palette',
    title: 'command.palette',
    keys: ['Ctrl', 'Alt', 'P'],
    desktopKeys: ['Ctrl', 'Shift', 'P'],
    otherKeys: [['Ctrl', 'Shift', 'P']],
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'palette' }),
  },
  {
    id: 'settings',
    title: 'command.settings',
    keys: ['Ctrl', ','],
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'settings', section: 'general' }),
  },
  {
    id: 'settings.models',
    title: 'command.settingsModels',
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'settings', section: 'models' }),
  },
  {
    id: 'settings.shortcuts',
    title: 'command.settingsShortcuts',
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'settings', section: 'shortcuts' }),
  },
  {
    id: 'model.addServer',
    title: 'models.addServer',
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'add-server' }),
  },
  {
    id: 'settings.suggestions',
    title: 'command.settingsSuggestions',
    isEnabled: always,
    run: (store) => store.getState().ui.open({ kind: 'settings', section: 'suggestions' }),
  },
  {
    id: 'pane.files',
    title: 'command.paneFiles',
    keys: ['Ctrl', 'Shift', '1'],
    isEnabled: hasWork,
    run: (store) => store.getState().ui.togglePane('files'),
  },
  {
    id: 'pane.side',
    title: 'command.paneSide',
    keys: ['Ctrl', 'Shift', '2'],
    isEnabled: hasWork,
    run: (store) => store.getState().ui.togglePane('side'),
  },
  {
    id: 'editor.focus',
    title: 'command.editorFocus',
    isEnabled: hasFile,
    run: (store) => store.editor.current?.focus(),
  },
]

const tabs: Command[] = (['details', 'takes', 'context', 'memo', 'history'] as const).map((tab) => ({
  id: `tab.${tab}`,
  title: `command.tab.${tab}` as const,
  isEnabled: (state) => hasWork(state) && isManuscript(state),
  run: (store) => store.getState().ui.goToTab(tab),
}))

const themes: Command[] = (['system', 'light', 'dark', 'sepia'] as const).map((theme) => ({
  id: `theme.${theme}`,
  title: `command.theme.${theme}` as const,
  isEnabled: (state) => state.settings.value.theme !== theme,
  run: (store) => void store.getState().settings.update({ theme }),
}))

/** Everything that the palette knows. */
export const commands: readonly Command[] = [
  ...drafting,
  ...files,
  ...workCommands,
  ...sessionCommands,
  ...gateCommands,
  ...view,
  ...tabs,
  ...themes,
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
