import './message-box.css'
import { useEffect, useId, useRef, useState } from 'react'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import type { MessageHow } from '../../../shared/domain/session/session-item.ts'
import type { AcceptMethod } from '../../../shared/suggestion/suggestion-controller.ts'
import type { MessageValue } from '../../editor/message/message-editor.ts'
import type { AppState } from '../../state/app-state.ts'
import { unsentKey } from '../../state/slices/unsent-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { emptyValue, useImages, useMessageEditor, useMessageLabels, useUnsent } from './box-editor.ts'
import { BoxBar, BoxHints } from './box-foot.tsx'
import { type BoxAction, boxAction, type EnterMeaning, enterMeaning, ghostEnter, isMac } from './box-keys.ts'
import { PausedSuggestions, QueuedMessages, SecretDialog, SpeculationHindrance } from './box-notices.tsx'
import { type BoxOption, OptionList, useOptionList } from './options/option-list.tsx'
import { useReferenceOptions } from './options/reference-options.ts'
import { readSlash, runSlash, useSlashOptions } from './options/slash-commands.ts'
import { type Recall, recallStep, sentMessages } from './recall.ts'
import {
  createSpeculationText,
  type SpeculationText,
  speculationOfText,
} from './suggestions/speculation-text.ts'
import { createSuggestionGhost, type SuggestionGhost } from './suggestions/suggestion-ghost.ts'

/** A second Escape within this time stops. Units: milliseconds. */
const stopAskedMs = 3_000

/** The box in which messages are written. Without a session, the first message creates one. */
export function MessageBox({ cspNonce }: { cspNonce: string | undefined }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const sessionId = useApp((state) => state.conversation.current?.sessionId ?? null)
  const failure = useApp((state) => state.composer.failure)
  const { closeFailure, stopEditing } = useApp((state) => state.composer)
  const editing = useApp((state) => state.composer.editing)
  const key = useApp(unsentKey)
  const wanted = useApp((state) => state.composer.wanted)
  const isRunning = useApp((state) => state.conversation.current?.state?.activity != null)
  const canSteer = useApp((state) => isRunning || isSteerableGate(state))
  const hasModel = useApp((state) => !state.models.isStatusKnown || state.models.status.state !== 'none')
  const openDialog = useApp((state) => state.ui.open)
  const secrets = useApp((state) => state.references.secrets)
  const enterOnGhost = useApp((state) => state.settings.value.suggestionEnter)

  const ghost = useRef<SuggestionGhost>(null)
  const speculationText = useRef<SpeculationText>(null)
  /** The key that accepted the ghost: while held down, or pressed twice, it must not act as it does without one. */
  const tookGhost = useRef<string | null>(null)
  const recall = useRef<Recall | null>(null)
  const begunAt = useRef<number | null>(null)
  const [hint, setHint] = useState<'stop' | 'unknown' | 'incomplete' | null>(null)
  const [isListClosed, setIsListClosed] = useState(false)
  const hintId = useId()
  const labels = useMessageLabels(hintId)
  const { parent, editor, value } = useMessageEditor({
    cspNonce,
    labels,
    onKey: (event, now) => hear(event, now),
    onChange: (next) => note(next),
    onCompose: () => ghost.current?.compose(),
    onImages: (files) => images.take(files),
    onMade(made) {
      const madeGhost = createSuggestionGhost(store, made)
      ghost.current = madeGhost
      speculationText.current = createSpeculationText(store, made, madeGhost)
      store.messageBox.current = made
      return () => {
        madeGhost.destroy()
        ghost.current = null
        speculationText.current = null
        store.messageBox.current = null
      }
    },
  })

  const keyNow = () => unsentKey(store.getState())
  const images = useImages(editor, keyNow)
  const keep = useUnsent(editor, key)
  const link = useApp((state) => speculationOfText(state, value))
  // While the user takes the rest of a suggestion, no list opens.
  const isListless = value.ghost !== null
  const commands = useSlashOptions(isListless || isListClosed ? null : value.plainText)
  const references = useReferenceOptions(editor, isListless || commands.length > 0 ? null : value.reference)
  const options: BoxOption[] =
    commands.length > 0
      ? commands.map(({ id, label, hint }) => ({ id, name: label, detail: hint === null ? '' : t(hint) }))
      : references.options
  const hasOptions = options.length > 0
  const list = useOptionList(editor, options)
  const command = commands[list.chosen]

  const show = (segments: readonly MessageSegment[]) => editor.current?.setSegments(segments)

  const send = async (how: MessageHow, dropsSpeculation = false) => {
    const adding = images.settled()
    if (adding !== null) await adding
    // Another session was chosen meanwhile: the message stays, unsent, in the box of its own one.
    if (keyNow() !== key) return
    const { segments, isEmpty } = editor.current?.value() ?? emptyValue
    if (isEmpty) return
    const text = segments.every((one) => one.kind === 'text') ? segments.map((one) => one.text).join('') : ''
    const slash = editing === null ? readSlash(text) : null
    if (slash?.kind === 'unknown' || slash?.kind === 'incomplete') return setHint(slash.kind)
    if (slash) {
      show([])
      if (!(await runSlash(store, slash.command))) store.getState().composer.putBack(segments, key)
      return
    }
    if (!hasModel) return openDialog({ kind: 'settings', section: 'models' })
    const { sessions, composer, unsent } = store.getState()
    const begun = begunAt.current ?? performance.now()
    // If everything ends here before the message is sent, it stands in its box again.
    const release = unsent.hold(key)
    show([])
    recall.current = null
    const target = store.getState().conversation.current?.sessionId ?? (await sessions.create())
    const isSent =
      target !== null &&
      (editing === null
        ? (await composer.send(segments, how, begun, dropsSpeculation)) !== null
        : await composer.resend(editing, segments))
    if (!isSent) {
      // A message that could not be sent stands in its box again, before the text that is there by now.
      composer.putBack(segments, sessionId === null && target !== null ? target : key)
      begunAt.current = begun
    } else if (editing !== null) stopEditing()
    release()
  }

  /** Sends the ghost if this window is the first to take it; otherwise the text stays in the box, unsent. */
  const sendGhost = async () => {
    const isFirst = await ghost.current?.take('all', 'enter')
    if (isFirst && store.getState().conversation.current?.sessionId === sessionId) await send('send')
  }

  const act = (action: BoxAction, now: MessageValue, press: Pick<KeyboardEvent, 'key'>) => {
    const { conversation, composer } = store.getState()
    switch (action) {
      case 'send':
      case 'steer':
      case 'beside':
        return void send(action)
      case 'stop':
        setHint(null)
        return void conversation.stop()
      case 'ask-before-stop':
        return setHint('stop')
      case 'older':
      case 'newer': {
        const { queue = [] } = conversation.current?.state ?? {}
        const waiting = queue.at(-1)
        if (action === 'older' && recall.current === null && waiting)
          return void composer.takeBack(waiting.messageId)
        const sent = sentMessages(conversation.current?.items ?? [])
        const step = recallStep(recall.current, action === 'older' ? 1 : -1, sent, now.segments)
        if (!step) return
        show(step.segments)
        recall.current = step.recall
        return
      }
      case 'back-to-unsent': {
        if (editing !== null) return stopEditing()
        show(recall.current?.unsent ?? [])
        recall.current = null
        return
      }
      case 'next-mode':
        return void conversation.nextMode()
      case 'option-next':
        return list.choose(1)
      case 'option-previous':
        return list.choose(-1)
      case 'option-take':
        return take(list.chosen)
      case 'options-close':
        return commands.length > 0 ? setIsListClosed(true) : references.close()
      case 'ghost-fill':
      case 'ghost-word':
        return void ghost.current?.take(action === 'ghost-word' ? 'word' : 'all', acceptMethod(press.key))
      case 'ghost-send':
        return void sendGhost()
      case 'ghost-dismiss':
        return ghost.current?.dismiss()
      case 'speculation-accept':
        return void speculationText.current?.accept(acceptMethod(press.key))
      case 'nothing':
        return
    }
  }
  const take = (index: number) => {
    const command = commands[index]
    if (command) show([{ kind: 'text', text: command.insert }])
    else references.take(index)
    list.chooseFirst()
    editor.current?.focus()
  }

  const hear = (event: KeyboardEvent, now: MessageValue): boolean => {
    const isTwice = event.repeat || (event.key === 'Enter' && ghost.current?.isLocked === true)
    if (isTwice && tookGhost.current === event.key) return true
    if (!event.repeat) tookGhost.current = null
    const action = boxAction(event, {
      ...now,
      ghost: ghost.current?.keyDown(event) ?? 'none',
      ghostEnter: ghostEnter(now.ghost, enterOnGhost),
      hasSpeculation: speculationOfText(store.getState(), now) !== null,
      isMac,
      isRunning,
      canSteer,
      isStopAsked: hint === 'stop',
      isRecalled: recall.current !== null || editing !== null,
      hasOptions,
      isOptionWhole: command !== undefined && command.insert === now.plainText,
    })
    if (action === null) return false
    if (/^(ghost|speculation)-/.test(action)) tookGhost.current = event.key
    act(action, now, event)
    return true
  }
  const note = (next: MessageValue): void => {
    if (next.isEmpty) begunAt.current = null
    else begunAt.current ??= performance.now()
    setHint(null)
    if (next.plainText !== value.plainText) setIsListClosed(false)
    if (next.plainText !== value.plainText || next.reference?.path !== value.reference?.path)
      list.chooseFirst()
    keep(next.segments)
    ghost.current?.look()
    speculationText.current?.look()
  }

  const hasSecrets = secrets !== null
  useEffect(() => {
    if (!hasSecrets) editor.current?.focus()
  }, [hasSecrets, editor])

  // Each session has what was being written in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place to write in begins anew
  useEffect(() => {
    recall.current = null
    editor.current?.focus()
  }, [editor, key])
  useEffect(() => {
    if (!wanted || !editor.current) return
    editor.current.setSegments(wanted.segments)
    editor.current.focus()
    store.getState().composer.filledBox()
  }, [store, editor, wanted])
  useEffect(() => {
    if (hint !== 'stop') return
    const timer = setTimeout(() => setHint(null), stopAskedMs)
    return () => clearTimeout(timer)
  }, [hint])

  return (
    <div className="message-box-frame">
      {failure && (
        <div className="notice-card message-failure">
          <Notice
            tone="bad"
            actions={
              <>
                {failure.code === 'speculation/asking' && (
                  <Button onClick={() => void send('send', true)}>{t('speculation.sendAnyway')}</Button>
                )}
                <Button variant="quiet" onClick={closeFailure}>
                  {t('action.close')}
                </Button>
              </>
            }
          >
            {errorText(failure)}
          </Notice>
        </div>
      )}
      <QueuedMessages />
      {secrets !== null && <SecretDialog paths={secrets} />}
      {hasOptions && (
        <OptionList
          id={list.id}
          label={t(commands.length > 0 ? 'slash.label' : 'reference.list')}
          options={options}
          chosen={list.chosen}
          onTake={take}
        />
      )}
      <div className={editing === null ? 'message-box' : 'message-box message-box-editing'}>
        {editing !== null && <p className="message-editing">{t('conversation.editing')}</p>}
        <div ref={parent} className="message-box-text" />
        <BoxHints
          hint={hint}
          hasOptions={hasOptions}
          isRunning={isRunning}
          canSteer={canSteer}
          isEmpty={value.isEmpty}
          enter={meaningOf(store.getState(), value.plainText, begunAt.current)}
          hasModel={hasModel}
          id={hintId}
          ghost={value.ghost}
          ghostEnter={ghostEnter(value.ghost, enterOnGhost)}
          speculation={link}
          onSend={() => void (link === null ? send('send') : speculationText.current?.accept('enter'))}
          onTake={() => {
            void (link === null ? ghost.current?.take('all', 'tab') : speculationText.current?.accept('tab'))
            editor.current?.focus()
          }}
        />
        <BoxBar />
      </div>
      <PausedSuggestions />
      <SpeculationHindrance />
    </div>
  )
}

/** Returns what Enter does with a text that was begun at `begunAt`. */
function meaningOf(
  { conversation, composer }: AppState,
  text: string | null,
  begunAt: number | null,
): EnterMeaning {
  const gateId = conversation.askingGate()
  const { state } = conversation.current ?? {}
  return enterMeaning({
    text,
    sincePaintedMs:
      gateId === undefined || begunAt === null ? null : conversation.sincePainted(gateId, begunAt),
    isGateOpen: (state?.openGates.length ?? 0) > 0,
    isCommand: composer.editing !== null || readSlash(text ?? '') !== null,
    isRunning: state?.activity != null,
  })
}

/** True where a model that decides by its calls waits at a gate: its next request contains what is said there. */
function isSteerableGate({ conversation, models, settings }: AppState): boolean {
  const isOpen = (conversation.current?.state?.openGates.length ?? 0) > 0
  return isOpen && models.status.canCallTools === true && settings.value.decideFirst === 'auto'
}

function acceptMethod(key: string): AcceptMethod {
  if (key === 'Enter') return 'enter'
  return key === 'Tab' ? 'tab' : 'right'
}
