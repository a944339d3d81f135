import { expect, it } from 'vitest'
import type { SpeculationDecision } from '../../../src/shared/domain/session/speculation.ts'
import { editPort, openRoom } from '../../fakes/sessions/speculation-room.ts'

const context = { signal: new AbortController().signal }

it('no forged, repeated or mistimed call brings a speculation into the folder', async () => {
  const room = await openRoom(editPort({ decide: {} }, { say: 'Done.' }))
  const { host, speculations } = room
  const { app, sessionId, workId } = host
  const { api } = app
  const link = await speculations.becomes({ phase: 'completed' })
  const { speculationId, suggestionId } = link
  const other = (await api['session.create']({ workId }, context)).session.sessionId
  const isUnchanged = (): void => expect(host.read('src/app.ts')).toContain('port = 1')

  const forged = ['', '__proto__', '../..', `${speculationId}\0`, speculationId.toUpperCase(), suggestionId]
  const places = [
    ...forged.map((id) => ({ sessionId, speculationId: id })),
    { sessionId: other, speculationId },
    { sessionId: 'nowhere', speculationId },
  ]
  for (const place of places.filter(
    (one) => one.speculationId !== speculationId || one.sessionId !== sessionId,
  )) {
    expect(await api['speculation.accept'](place, context)).toEqual({ isFirst: false, isAccepted: false })
    expect(await api['speculation.reject'](place, context)).toEqual({ isFirst: false })
    expect(await api['speculation.rerun'](place, context)).toEqual({ isFirst: false })
    expect(await api['speculation.preview'](place, context)).toBe(null)
    const decision = { kind: 'go-on' } as const
    expect(await api['speculation.decide']({ ...place, decision }, context)).toEqual({ isAnswered: false })
  }
  expect(await speculations.decide(link, { kind: 'go-on' })).toBe(false)
  isUnchanged()

  const place = { sessionId, speculationId }
  const firsts = await Promise.all(Array.from({ length: 5 }, () => api['speculation.accept'](place, context)))
  expect(firsts.filter(({ isFirst }) => isFirst)).toHaveLength(1)
  const asking = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  if (asking.accepting?.step !== 'gate') throw new Error('no gate')
  const { gateId, calls: shown } = asking.accepting.gate

  expect(await api['speculation.accept'](place, context)).toEqual({ isFirst: false, isAccepted: true })
  expect(await speculations.reject(link)).toBe(false)
  const wrong: SpeculationDecision[] = [
    { kind: 'go-on' },
    { kind: 'merge', files: [{ path: '../x', take: 'speculated', text: null, currentHash: null }] },
  ]
  for (const decision of wrong) expect(await speculations.decide(asking, decision)).toBe(false)
  const answerOf = (more: { gateId?: string; sincePaintedMs?: number; shownHash?: string }) => ({
    gateId: more.gateId ?? gateId,
    sincePaintedMs: more.sincePaintedMs ?? 2_000,
    verdict: 'approve' as const,
    reason: null,
    remember: null,
    answers: shown.map(({ callId, hash }) => ({
      callId,
      shownHash: more.shownHash ?? hash,
      isApproved: true,
      refusedHunks: [],
    })),
  })
  const decide = (more: Parameters<typeof answerOf>[0]) =>
    speculations.decide(asking, { kind: 'gate', answer: answerOf(more) })
  await expect(decide({ gateId: 'forged' })).rejects.toMatchObject({ info: { code: 'gate/not-open' } })
  await expect(decide({ sincePaintedMs: 10 })).rejects.toMatchObject({ info: { code: 'gate/too-early' } })
  await decide({ shownHash: 'forged' }).catch(() => undefined)
  isUnchanged()

  await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  const late = (await speculations.becomes({})).accepting
  if (late?.step !== 'gate') throw new Error('no gate')
  expect(
    await speculations.decide(asking, { kind: 'gate', answer: answerOf({ gateId: late.gate.gateId }) }),
  ).toBe(true)
  expect(await speculations.gone()).toBe('accepted')
  expect(host.read('src/app.ts')).toContain('port = 2')
  // The speculation is over: it cannot be accepted twice.
  expect(await api['speculation.accept'](place, context)).toEqual({ isFirst: false, isAccepted: true })
  await expect(decide({})).resolves.toBe(false)
})
