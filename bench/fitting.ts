/** Fitting a prompt into the context window: our search beside the seed's linear loop. */

import type { FitRequest, FittedPrompt } from '../src/main/drafting/fitting/body-room.ts'
import { fitDraft } from '../src/main/drafting/fitting/fit-draft.ts'
import { rollDraft } from '../src/main/drafting/prompt/roll-draft.ts'
import type { DraftDetails } from '../src/shared/domain/drafting/draft-details.ts'
import { defaultDraftSettings } from '../src/shared/domain/drafting/draft-settings.ts'
import { emptyDraftDetails } from '../tests/fakes/empty-draft-details.ts'
import { fakeFrame } from '../tests/fakes/rigs/fake-draft.ts'
import { fitLinearly } from './linear-loop.ts'
import { tinyModels } from './model-files.ts'
import { proseOf, readProse } from './prose.ts'
import { type BenchOptions, number, type Report, ratio, type Table, yesNo } from './report.ts'
import { median, timed } from './timing.ts'
import { type CounterMethod, embeddedCounter, httpCounter } from './token-counters.ts'

const outputTokens = 500
const mostRequests = 6
/** What a page adds at the end between a cold fitting and the warm one after it. Units: characters. */
const pageChars = 200
const repeats = 3

const details: DraftDetails = {
  ...emptyDraftDetails,
  title: '名のない猫',
  keywords: ['猫', '書生', '明治'],
  genres: ['文学'],
  synopsis: '捨てられた一匹の猫が、教師の家に住みついて人間を眺める。',
  setting: '明治の東京。語り手は猫で、人の言葉がわかるが話せない。',
}

type Case = { bodyChars: number; contextTokens: number; offsetChars: number }

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const prose = await readProse()
  const tables: Table[] = []
  for (const model of tinyModels()) {
    for (const open of [embeddedCounter, httpCounter]) {
      const way = await open(model)
      const rows: string[][] = []
      for (const one of cases(isQuick))
        rows.push(await row(way, one, proseOf(prose, one.bodyChars + pageChars)))
      tables.push({ title: way.name, columns, rows })
      await way.close()
    }
  }
  return {
    title: 'Fitting a prompt into the context window',
    about: [
      `Baseline: the linear loop of the novel-prompt document, step 100, with the same counter and without the cap of KoboldCpp's answers (with it the loop takes the answer 0 for “fits” and sends everything). Text: ${prose.source}; ${outputTokens} tokens are kept free for the answer; nothing is remembered between counts but what a fitting hands to the next.`,
      `Cold: the first fitting of a work. Warm: the next one, after ${pageChars} characters more. Goal: at most ${mostRequests} requests cold. “Kept more”: characters of the body that our prompt holds beyond the loop's; both go in steps of 100, from other starts where the whole cannot be counted.`,
    ],
    tables,
  }
}

const columns = [
  'body, context, offset',
  'requests: loop',
  'cold',
  'warm',
  'ms: loop',
  'cold',
  'warm',
  'time, cold',
  'time, warm',
  'kept more',
  `≤ ${mostRequests} cold`,
]

function cases(isQuick: boolean): Case[] {
  const bodies = isQuick ? [300_000] : [40_000, 300_000]
  const offsets = isQuick ? [4_000] : [4_000, 2_000]
  return bodies.flatMap((bodyChars) =>
    [8_192, 32_768].flatMap((contextTokens) =>
      offsets.map((offsetChars) => ({ bodyChars, contextTokens, offsetChars })),
    ),
  )
}

async function row(way: CounterMethod, one: Case, text: string): Promise<string[]> {
  const body = text.slice(0, one.bodyChars)
  const linear = await timed(() => fitLinearly(request(one, body, way.baseline)))
  const cold = await repeated(() => fitDraft(request(one, body, way.counter)))
  const { cache } = cold.fitted
  const warm = await repeated(() =>
    fitDraft({ ...request(one, text, way.counter), ...(cache === undefined ? {} : { cache }) }),
  )
  const { bodyChars, keptChars, requestCount } = cold.fitted
  return [
    `${number(one.bodyChars)}, ${one.contextTokens / 1024}k, ${number(one.offsetChars)}`,
    String(linear.result.requestCount),
    String(requestCount),
    String(warm.fitted.requestCount),
    number(linear.ms),
    number(cold.ms),
    number(warm.ms),
    ratio(cold.ms, linear.ms),
    ratio(warm.ms, linear.ms),
    signed(keptChars - (bodyChars - (linear.result.cutChars ?? bodyChars))),
    yesNo(requestCount <= mostRequests),
  ]
}

function signed(chars: number): string {
  return chars > 0 ? `+${chars}` : String(chars)
}

async function repeated(fit: () => Promise<FittedPrompt>): Promise<{ ms: number; fitted: FittedPrompt }> {
  const first = await timed(fit)
  const times = [first.ms]
  while (times.length < repeats) times.push((await timed(fit)).ms)
  return { ms: median(times), fitted: first.result }
}

function request(one: Case, text: string, counter: FitRequest['counter']): FitRequest {
  return {
    frame: fakeFrame(details),
    draft: rollDraft({ details, files: [{ path: '001.txt', text }] }, () => 0),
    settings: { ...defaultDraftSettings, fitMode: 'token_dynamic', offsetChars: one.offsetChars },
    contextTokens: one.contextTokens,
    outputTokens,
    counter,
    signal: new AbortController().signal,
  }
}
