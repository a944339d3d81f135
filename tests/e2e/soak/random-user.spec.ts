/**
 * A user who does anything at any moment, with a model that answers anything.
 *
 * `TSUGI_SOAK` plays 200 seeds; `TSUGI_SEED=7-30` plays these, `TSUGI_SEED=7` one and, where it fails, again without
 * what does not matter; `TSUGI_STEPS=3,4,9` plays only these of its actions.
 */
import { type Browser, expect } from '@playwright/test'
import { test } from '../support/worker-test.ts'
import { boxActions } from './box-actions.ts'
import { drawFor } from './random-draw.ts'
import { sessionActions } from './session-actions.ts'
import { type Checked, checkStage, newChecked, staleParts } from './soak-checks.ts'
import { openStage, type SoakStage } from './soak-stage.ts'
import { isMissed, type UserAction } from './user-hand.ts'
import { windowActions } from './window-actions.ts'
import { readWindow } from './window-view.ts'
import { workActions } from './work-actions.ts'
import { worldActions } from './world-actions.ts'

const actions = { ...boxActions, ...sessionActions, ...windowActions, ...workActions, ...worldActions }
const isSoak = process.env.TSUGI_SOAK !== undefined
const wanted = process.env.TSUGI_SEED ?? (isSoak ? '1-200' : '1')
const [firstSeed = 1, lastSeed = firstSeed] = wanted.split('-').map(Number)
const seeds = Array.from({ length: lastSeed - firstSeed + 1 }, (_, at) => firstSeed + at)
const isShrunk = isSoak && seeds.length === 1 && process.env.TSUGI_STEPS === undefined
const allSteps = Array.from({ length: isSoak ? 150 : 20 }, (_, step) => step)
const steps = process.env.TSUGI_STEPS?.split(',').map(Number) ?? allSteps

type Played = { faults: string[]; done: string[]; steps: number[] }

test.describe.configure({ mode: 'parallel' })
for (const seed of seeds) {
  test(`nothing breaks whatever the user does, seed ${seed}`, async ({ browser }) => {
    if (isSoak) test.setTimeout(1_800_000)
    let played = await play(browser, seed, steps)
    if (played.faults.length > 0 && isShrunk) played = await shrunk(browser, seed, played)
    const again = `TSUGI_SOAK=1 TSUGI_SEED=${seed} TSUGI_STEPS=${played.steps.join(',')}`
    expect(played.faults, `${again}\n${played.done.join('\n')}`).toEqual([])
  })
}

/** Plays some of a seed's actions, up to the first one after which a check fails. */
async function play(browser: Browser, seed: number, chosen: readonly number[]): Promise<Played> {
  const stage = await openStage(browser, seed)
  const checked = newChecked()
  const played: Played = { faults: [], done: [], steps: [] }
  try {
    for (const step of chosen) {
      played.steps.push(step)
      played.faults = await act(stage, checked, seed, step, played.done)
      if (played.faults.length > 0) break
    }
    if (played.faults.length === 0) played.faults = await atEnd(stage)
    const { TSUGI_SHOTS: shots } = process.env
    if (played.faults.length > 0 && shots) await stage.page.screenshot({ path: `${shots}/seed-${seed}.png` })
    return played
  } finally {
    await stage.end()
  }
}

async function act(
  stage: SoakStage,
  checked: Checked,
  seed: number,
  step: number,
  done: string[],
): Promise<string[]> {
  const draw = drawFor(seed, step)
  const [name, action] = draw.pick(weighed)
  const { page } = stage
  const before = await readWindow(page, { isDrawn: false })
  try {
    const what = await action.run(stage, draw)
    if (what === null) return []
    done.push(`${step} ${name}: ${what}`)
  } catch (error) {
    done.push(`${step} ${name}: could not (${String(error).split('\n')[0]})`)
    if (!isMissed(error)) return [String(error)]
  }
  // Any action may have sent this approval. It counts from its end, for all that was proposed until then.
  if (before?.box?.includes('はい')) stage.mind.approvals += 1
  const box = action.leavesBox === true ? 'left' : name in boxActions ? 'written' : 'any'
  return checkStage(stage, checked, stage.page === page ? before : null, box)
}

const weighed = Object.entries<UserAction>(actions).flatMap((entry) =>
  Array.from({ length: entry[1].weight }, () => entry),
)

/** Escape leads out of everything, a stop ends all that runs. */
async function atEnd(stage: SoakStage): Promise<string[]> {
  const { page } = stage
  let view = await readWindow(page)
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Escape')
    await page.waitForTimeout(presses < 12 ? 25 : 200)
    view = await readWindow(page)
    if (presses >= 3 && view !== null && view.layers === 0 && !view.hasDrawer) break
  }
  const found =
    view && (view.layers > 0 || view.hasDrawer) ? [`Escape leaves ${view.dialog ?? 'a layer'} open`] : []
  await stopAll(stage)
  for (let tries = 0; tries < 300 && stage.llama.pendingCount > 0; tries++) await page.waitForTimeout(100)
  found.push(...stage.llama.pendingPrompts.map((prompt) => `runs after a stop: … ${prompt.slice(-400)}`))
  for await (const { sessions } of stage.client['session.watchList']({ workId: stage.workId })) {
    if (sessions.every((session) => !session.isWorking)) break
  }
  found.push(...(await staleParts(stage, page)))
  return found
}

/** Stops each session and each run, in both folders: what was begun in the other one goes on there. */
async function stopAll({ client, root, otherRoot }: SoakStage): Promise<void> {
  for (const path of [root, otherRoot]) {
    const { workId } = await client['work.open']({ path })
    for await (const { sessions } of client['session.watchList']({ workId })) {
      for (const { sessionId } of sessions) await client['session.stop']({ sessionId })
      break
    }
    await client['draft.stopEndless']({ workId })
    for (const run of (await client['run.list']({ workId })).runs)
      if (run.state === 'running') await client['run.stop']({ runId: run.runId })
  }
}

/** Returns the kind of the first fault, without the parts that differ from run to run. */
const kindOf = ({ faults }: Played) => faults[0]?.replaceAll(/[“{0-9].*/gs, '') ?? null

/** Leaves out actions as long as something is still wrong; a few replays are enough to read the rest. */
async function shrunk(browser: Browser, seed: number, first: Played): Promise<Played> {
  let best = first
  let replays = 0
  for (let size = Math.floor(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.steps.length && replays < 24; replays++) {
      const tried = await play(browser, seed, best.steps.toSpliced(at, size))
      if (kindOf(tried) === kindOf(first)) best = tried
      else at += size
    }
  }
  return best
}
