import type { Translate } from './translate.ts'

/** Writes a duration (ms) as a reader needs it: `3.3 秒`, `42 秒`, `2 分 5 秒`. */
export function durationText(t: Translate, ms: number): string {
  const seconds = ms / 1000
  if (seconds < 9.95) return t('unit.seconds', { count: Math.round(seconds * 10) / 10 })
  const whole = Math.round(seconds)
  if (whole < 60) return t('unit.seconds', { count: whole })
  return t('unit.minutes', { minutes: Math.floor(whole / 60), seconds: whole % 60 })
}

/** A higher figure is no speed of a model: scripted text comes at once. Units: tokens per second. */
const fastestWriting = 10_000

export function isSpeed(tokensPerSecond: number): boolean {
  return tokensPerSecond > 0 && tokensPerSecond < fastestWriting
}

/** Units: tokens per second. */
export function speedText(t: Translate, tokensPerSecond: number): string {
  const count = tokensPerSecond < 9.95 ? Math.round(tokensPerSecond * 10) / 10 : Math.round(tokensPerSecond)
  return t('status.speed', { count })
}

/** `share`: 0 to 1. */
export function percentText(t: Translate, share: number): string {
  return t('unit.percent', { count: Math.round(share * 100) })
}
