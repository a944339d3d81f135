/**
 * The whole loop with a real model: SmolLM2 in the embedded engine decides, answers and suggests; half of its
 * suggestions are sent. `TSUGI_TEST_MODELS=DIR npm run soak -- suggestion-loop` prints the results.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { dataFolderPath } from '../../../src/main/platform/files/data-folder.ts'
import type { SuggestionState } from '../../../src/shared/domain/session/suggestion.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openTestApp, type SessionPlayer } from '../../fakes/sessions/session-host.ts'
import { requestsOf, type SuggestionWatch, watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const { platform, env } = process
const models = env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
const file = join(models, 'SmolLM2-135M-Instruct.Q4_1.gguf')
const canRun = env.TSUGI_SOAK !== undefined && existsSync(file)
const turns = Number(env.TSUGI_SOAK_TURNS ?? 12)
const context = { signal: new AbortController().signal }

const messages = [
  'Hello! What is a lighthouse for?',
  'Who looks after one?',
  'Tell me a short story about such a keeper.',
  'Give the keeper a cat.',
  'What is the name of the cat?',
  'Make the ending happier.',
]

it.skipIf(!canRun)('suggests, is taken or not, and goes on', { timeout: 3_600_000 }, async () => {
  const { player, window } = await open()
  const lines: string[] = []
  let accepted: string | null = null
  for (let turn = 0; turn < turns; turn++) {
    const message: string = accepted ?? messages[turn % messages.length] ?? ''
    await player.say(message)
    await atRest(player)
    const state = await afterTurn(window)
    lines.push(`${turn + 1}. ${message} → ${state.text ?? `(${state.suppressed})`}`)
    const isAccepted = state.text !== null && turn % 2 === 1 && !/^[/!]/.test(state.text)
    if (state.text !== null) await window.decide(isAccepted ? 'accepted' : 'ignored')
    accepted = isAccepted ? state.text : null
  }
  await window.close()
  const { events, summary } = await player.app.api['suggestion.list']({ limit: 200 }, context)
  const requests = await requestsOf(player)
  const of = (purpose: string) => requests.filter((request) => request.purpose === purpose)
  const shares = of('forked_query').flatMap(({ reusedTokens, promptTokens }) =>
    reusedTokens === null ? [] : [reusedTokens / promptTokens],
  )
  const report = {
    events: events.length,
    shownShare: summary.offered / Math.max(1, events.length),
    msToGhost: summary.msToSuggestion,
    similarity: summary.similarity,
    reasons: summary.reasons,
    forked: {
      ends: of('forked_query').map(({ end }) => end),
      ms: of('forked_query').map(({ ms }) => Math.round(ms)),
      promptTokens: summary.promptTokens,
      readTokens: summary.promptTokens - summary.reusedTokens,
      writtenTokens: summary.completionTokens,
      leastShared: shares.length === 0 ? null : Math.min(...shares),
    },
    preReads: of('pre_read').map(({ promptTokens, reusedTokens, end }) => ({
      read: promptTokens - (reusedTokens ?? 0),
      end,
    })),
  }
  process.stdout.write(`${lines.join('\n')}\n${JSON.stringify(report, null, 2)}\n`)
  expect(events.length).toBeGreaterThan(0)
  expect(
    of('forked_query').length + events.filter(({ outcome }) => outcome === 'suppressed').length,
  ).toBeGreaterThan(0)
  const said = JSON.stringify(await player.items())
  expect(said).not.toContain('SUGGESTION MODE')
  expect(player.bugs).toEqual([])
})

async function open(): Promise<{ player: SessionPlayer; window: SuggestionWatch }> {
  const opened = await openTestApp({ dataDir: tempFolder(), language: 'en' })
  onTestFinished(() => opened.app.close())
  const { api } = opened.app
  const { profile } = await api['model.use']({ backend: 'embedded', file }, context)
  await api['profile.save']({ profile: { ...profile, contextTokens: 8_192 } }, context)
  const player = await opened.open({ root: tempFolder() })
  return { player, window: await watchSuggestions(player) }
}

/** Refuses every approval that the model needs, so that the conversation goes on. */
async function atRest(player: SessionPlayer): Promise<void> {
  for (;;) {
    const { openGates, position } = await player.rest()
    if (openGates.length > 0) await player.answer('refuse')
    else if (position.waiting === 'answer') await player.stop()
    else return
  }
}

async function afterTurn(window: SuggestionWatch): Promise<SuggestionState> {
  for (;;) {
    const last = window.states.at(-1)
    const isOver =
      last !== undefined && (last.text !== null || (last.suppressed ?? 'run_active') !== 'run_active')
    if (isOver) return last
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
