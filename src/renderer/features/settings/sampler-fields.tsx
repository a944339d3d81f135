import { useState } from 'react'
import {
  type LogitBias,
  type Sampler,
  type SamplerField,
  SamplerStep,
  samplerOff,
  wholeSampler,
} from '../../../shared/domain/model/sampler.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { LinesField } from './setting-fields.tsx'

type Figure = Exclude<SamplerField, 'dryBreakers' | 'logitBias' | 'order' | 'mirostat'>
type Range = { name: Figure; min: number; max: number; step: number }

const usual: readonly Range[] = [
  { name: 'temperature', min: 0, max: 2, step: 0.05 },
  { name: 'topK', min: 0, max: 200, step: 1 },
  { name: 'topP', min: 0.05, max: 1, step: 0.01 },
  { name: 'minP', min: 0, max: 0.5, step: 0.01 },
  { name: 'repeatPenalty', min: 1, max: 1.5, step: 0.01 },
  { name: 'repeatRange', min: 0, max: 4096, step: 1 },
]
const dry: readonly Range[] = [
  { name: 'dryMultiplier', min: 0, max: 5, step: 0.05 },
  { name: 'dryBase', min: 1, max: 8, step: 0.05 },
  { name: 'dryAllowedLength', min: 1, max: 100, step: 1 },
  { name: 'dryRange', min: 0, max: 8192, step: 1 },
]
const xtc: readonly Range[] = [
  { name: 'xtcProbability', min: 0, max: 1, step: 0.05 },
  { name: 'xtcThreshold', min: 0, max: 0.5, step: 0.01 },
]
const mirostat: readonly Range[] = [
  { name: 'mirostatTau', min: 0, max: 10, step: 0.1 },
  { name: 'mirostatEta', min: 0.001, max: 1, step: 0.01 },
]
const others: readonly Range[] = [
  { name: 'dynatempRange', min: 0, max: 5, step: 0.05 },
  { name: 'dynatempExponent', min: 0.1, max: 10, step: 0.1 },
  { name: 'typical', min: 0.05, max: 1, step: 0.01 },
  { name: 'topA', min: 0, max: 1, step: 0.01 },
  { name: 'nSigma', min: 0, max: 10, step: 0.1 },
]

type FieldsProps = { presetId: string; sampler: Sampler; onChange: (sampler: Sampler) => void }

/** Every field of a sampler, with what it does, its range, and whether the model's server takes it. */
export function SamplerFields({ presetId, sampler, onChange }: FieldsProps) {
  const { t } = useWords()
  const hintOf = useSamplerHint()
  const whole = wholeSampler(sampler)
  const set = (change: Partial<Sampler>) => onChange({ ...sampler, ...change })
  const figures = (ranges: readonly Range[]) =>
    ranges.map(({ name, min, max, step }) => (
      <NumberField
        key={`${presetId}-${name}`}
        label={t(`sampler.${name}`)}
        hint={hintOf(name, { min, max })}
        hasSlider
        min={min}
        max={Math.max(max, whole[name])}
        step={step}
        value={whole[name]}
        onCommit={(value) => set({ [name]: value })}
      />
    ))
  return (
    <>
      {figures(usual)}
      <details className="sampler-more">
        <summary>{t('sampler.more')}</summary>
        <h3 className="label">DRY</h3>
        {figures(dry)}
        <LinesField
          label={t('sampler.dryBreakers')}
          hint={hintOf('dryBreakers')}
          values={whole.dryBreakers}
          onCommit={(dryBreakers) => set({ dryBreakers })}
        />
        <h3 className="label">XTC</h3>
        {figures(xtc)}
        <h3 className="label">Mirostat</h3>
        <ChoiceField
          label={t('sampler.mirostat')}
          hint={hintOf('mirostat')}
          value={String(whole.mirostat)}
          options={['0', '1', '2'].map((value) => ({
            value,
            label: value === '0' ? t('settings.off') : value,
          }))}
          onChange={(value) => set({ mirostat: Number(value) })}
        />
        {figures(mirostat)}
        <h3 className="label">{t('sampler.others')}</h3>
        {figures(others)}
        <BiasField
          values={whole.logitBias}
          hint={hintOf('logitBias')}
          onCommit={(logitBias) => set({ logitBias })}
        />
        <OrderField order={whole.order} hint={hintOf('order')} onChange={(order) => set({ order })} />
      </details>
    </>
  )
}

/** Returns the hint of a field: what it does, its range and default, what is fixed, and whether it is ignored. */
function useSamplerHint() {
  const { t } = useWords()
  const { samplers, backend } = useApp((state) => state.models.status)
  return (name: SamplerField, range?: { min: number; max: number }) => {
    const off = name in samplerOff ? samplerOff[name as keyof typeof samplerOff] : null
    return [
      t(`sampler.${name}.hint`),
      range && t('sampler.range', range),
      range &&
        typeof off === 'number' &&
        t('settings.default', { value: t('settings.number', { value: off }) }),
      name === 'order' && backend === 'koboldcpp' && t('sampler.order.fixed'),
      samplers !== undefined && !samplers.includes(name) && t('sampler.ignored'),
    ]
      .filter((part) => typeof part === 'string')
      .reduce((first, second) => t('settings.sentences', { first, second }))
  }
}

type BiasProps = { values: readonly LogitBias[]; hint: string; onCommit: (values: LogitBias[]) => void }

/** One line each: a text, a space and a number. */
function BiasField({ values, hint, onCommit }: BiasProps) {
  const { t } = useWords()
  const [wrong, setWrong] = useState<string | null>(null)
  const commit = (lines: readonly string[]) => {
    const read = lines.map(readBias)
    const at = read.indexOf(null)
    setWrong(at < 0 ? null : (lines[at] ?? null))
    if (at < 0) onCommit(read.filter((bias) => bias !== null))
  }
  return (
    <LinesField
      label={t('sampler.logitBias')}
      hint={hint}
      error={wrong === null ? null : t('sampler.logitBias.wrong', { line: wrong })}
      values={values.map(({ text, bias }) => `${text} ${bias}`)}
      onCommit={commit}
    />
  )
}

type OrderProps = { order: readonly SamplerStep[]; hint: string; onChange: (order: SamplerStep[]) => void }

/** The steps in order; an empty list is the server's own order. */
function OrderField({ order, hint, onChange }: OrderProps) {
  const { t } = useWords()
  const steps = [...order, ...SamplerStep.options.filter((step) => !order.includes(step))]
  const earlier = (at: number) => {
    const next = [...steps]
    const [step] = next.splice(at, 1)
    if (step) next.splice(at - 1, 0, step)
    onChange(next)
  }
  return (
    <section aria-label={t('sampler.order')}>
      <h3 className="label">{t('sampler.order')}</h3>
      <p className="field-note">{hint}</p>
      <ol className="sampler-order">
        {steps.map((step, at) => (
          <li key={step}>
            <span className="row">
              <span className="grow">{t(`sampler.step.${step}`)}</span>
              <Button
                disabled={at === 0}
                aria-label={t('sampler.order.earlier', { name: t(`sampler.step.${step}`) })}
                onClick={() => earlier(at)}
              >
                ↑
              </Button>
            </span>
          </li>
        ))}
      </ol>
      <Button disabled={order.length === 0} onClick={() => onChange([])}>
        {t('sampler.order.reset')}
      </Button>
    </section>
  )
}

/**
 * Reads a line of a text, a space and a number; null for any other line.
 *
 * Shape: the text stays as it was typed, since a wide character has other tokens than the ASCII that it resembles; only
 * the number may be in the digits and signs of a Japanese input method.
 */
export function readBias(line: string): LogitBias | null {
  const [, text = '', figure = ''] = /^(.+)[ \t\u3000]([-+−－＋]?[\d.０-９．]+)$/u.exec(line) ?? []
  const bias = Number(figure.normalize('NFKC').replace('−', '-'))
  return text.trim() === '' || figure === '' || !(Math.abs(bias) <= 100) ? null : { text, bias }
}
