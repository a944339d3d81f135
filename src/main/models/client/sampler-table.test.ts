import { expect, it } from 'vitest'
import { Sampler, samplerFields, samplerOff } from '../../../shared/domain/model/sampler.ts'
import { checkRequest } from '../completion/request-check.ts'
import {
  acceptedFields,
  commonSampler,
  embeddedSampler,
  koboldSampler,
  llamaSampler,
  samplerBody,
} from './sampler-table.ts'

const plain: Sampler = {
  temperature: 0.7,
  topK: 0,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1.05,
  repeatRange: 320,
}
const all: Sampler = {
  ...plain,
  topA: 0.2,
  typical: 0.9,
  nSigma: 1.5,
  dynatempRange: 0.4,
  dynatempExponent: 1.2,
  xtcProbability: 0.5,
  xtcThreshold: 0.15,
  dryMultiplier: 0.8,
  dryBase: 1.9,
  dryAllowedLength: 3,
  dryRange: 512,
  dryBreakers: ['\n', '。'],
  mirostat: 2,
  mirostatTau: 4,
  mirostatEta: 0.2,
  logitBias: [{ text: '猫', bias: -5 }],
  order: ['temperature', 'topA', 'topK'],
}
const common = {
  dynatemp_range: 0.4,
  dynatemp_exponent: 1.2,
  xtc_probability: 0.5,
  xtc_threshold: 0.15,
  dry_multiplier: 0.8,
  dry_base: 1.9,
  dry_allowed_length: 3,
  dry_penalty_last_n: 512,
  dry_sequence_breakers: ['\n', '。'],
  mirostat: 2,
  mirostat_tau: 4,
  mirostat_eta: 0.2,
}
const likely = { temperature: 0.7, top_k: 0, top_p: 0.95, min_p: 0.05 }

it('says to KoboldCpp all that it takes, in its order and by its numbers', () => {
  expect(JSON.stringify(samplerBody(all, koboldSampler))).toBe(
    JSON.stringify({
      ...likely,
      rep_pen: 1.05,
      rep_pen_range: 320,
      top_a: 0.2,
      typical: 0.9,
      nsigma: 1.5,
      ...common,
      sampler_order: [5, 1, 3, 0, 6, 4, 2],
    }),
  )
  expect(samplerBody(plain, koboldSampler)).toMatchObject({
    sampler_order: [6, 0, 1, 3, 4, 2, 5],
    top_a: 0,
    mirostat: 0,
    dry_multiplier: 0,
  })
})

it('says the same order to KoboldCpp wherever the steps with a fixed place stand', () => {
  const order = ['xtc', 'minP', 'nSigma', 'dry'] as const
  const moved = samplerBody({ ...plain, order: [...order] }, koboldSampler)
  expect(moved.sampler_order).toEqual(samplerBody(plain, koboldSampler).sampler_order)
})

it('says to llama.cpp all that it takes, in its order and by its names', () => {
  expect(JSON.stringify(samplerBody(all, llamaSampler))).toBe(
    JSON.stringify({
      ...likely,
      repeat_penalty: 1.05,
      repeat_last_n: 320,
      typical_p: 0.9,
      top_n_sigma: 1.5,
      ...common,
      logit_bias: [['猫', -5]],
      samplers: ['temperature', 'top_k', 'penalties', 'dry', 'top_n_sigma', 'typ_p', 'top_p', 'min_p', 'xtc'],
    }),
  )
  expect(samplerBody(plain, llamaSampler)).toMatchObject({
    top_n_sigma: -1,
    typical_p: 1,
    xtc_probability: 0,
  })
})

it('tells which fields each takes', () => {
  expect(acceptedFields(commonSampler)).toEqual(['temperature', 'topP'])
  expect(acceptedFields(koboldSampler)).not.toContain('logitBias')
  expect(acceptedFields(llamaSampler)).not.toContain('topA')
  expect(acceptedFields(embeddedSampler)).toEqual(
    expect.arrayContaining(['xtcProbability', 'dryMultiplier', 'logitBias']),
  )
  expect(acceptedFields(embeddedSampler)).not.toContain('mirostat')
  const named = [koboldSampler, llamaSampler, embeddedSampler].flatMap(({ names }) => Object.keys(names))
  expect(samplerFields.filter((field) => !named.includes(field))).toEqual([])
})

it('passes the check of requests, but for a bias that is no number', () => {
  const request = { sampler: all, maxTokens: 1, stops: [], seed: 1 }
  expect(() => checkRequest(request)).not.toThrow()
  const sampler = { ...all, logitBias: [{ text: '猫', bias: Number.NaN }] }
  expect(() => checkRequest({ ...request, sampler })).toThrow('model/bad-request')
})

it('is off where nothing was set, and reads presets of earlier versions', () => {
  expect(Sampler.parse(plain)).toEqual(plain)
  expect(Sampler.safeParse({ ...plain, ...samplerOff }).success).toBe(true)
})
