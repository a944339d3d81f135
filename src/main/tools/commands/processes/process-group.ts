import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import type { Clock } from '../../../deps.ts'
import { delay } from '../../../platform/clock.ts'
import { errorCode } from '../../../platform/files/disk.ts'
import { readSmallText } from '../../../platform/files/read-regular-file.ts'

/** How a group ended: `gone` by itself or by a signal, `left` not at all (another user's, or stuck in the system). */
export type GroupEnd = 'gone' | 'left'

/** Time until the first poll; the interval doubles up to the limit. */
const firstPollMs = 10
const limitPollMs = 100
const killedWithinMs = 500

/**
 * Sends a signal to every process of a group, 0 to ask whether there are any.
 *
 * Shape: on Windows, which has no groups, the tree under `groupId` is ended at once, whatever the signal.
 */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  // To the system 0 is our own group and -1 is everyone.
  if (!(groupId > 1)) throw new RangeError(`no group of a command: ${groupId}`)
  return process.platform === 'win32' ? signalTree(groupId, signal) : sendSignal(-groupId, signal)
}

function sendSignal(target: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  try {
    process.kill(target, signal)
    return 'sent'
  } catch (error) {
    return errorCode(error) === 'ESRCH' ? 'gone' : 'denied'
  }
}

/** Asks a group to end, waits for it, and ends it by force after `graceMs`. Never rejects. */
export async function endGroup(clock: Clock, groupId: number, graceMs: number): Promise<GroupEnd> {
  if (signalGroup(groupId, 'SIGTERM') === 'gone') return 'gone'
  if (await isGoneWithin(clock, groupId, graceMs)) return 'gone'
  if (signalGroup(groupId, 'SIGKILL') === 'gone') return 'gone'
  return (await isGoneWithin(clock, groupId, killedWithinMs)) ? 'gone' : 'left'
}

/** Waits until no process of a group runs; false where one still does after `limitMs`. */
export async function isGoneWithin(clock: Clock, groupId: number, limitMs: number): Promise<boolean> {
  const deadline = clock.now() + limitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, limitPollMs)) {
    if (!(await hasProcesses(groupId))) return true
    const leftMs = deadline - clock.now()
    if (leftMs <= 0) return false
    await delay(clock, Math.min(pollMs, leftMs))
  }
}

/**
 * True where a group has running processes. Zombies, which ended but were not waited for, do not count: in a container
 * without an init of its own they stay for ever.
 */
async function hasProcesses(groupId: number): Promise<boolean> {
  if (signalGroup(groupId, 0) === 'gone') return false
  if (process.platform !== 'linux') return true
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const living = await Promise.all(ids.map((id) => isLivingMember(id, groupId)))
  return living.includes(true)
}

async function isLivingMember(processId: string, groupId: number): Promise<boolean> {
  try {
    const { state, group } = readStat(await readSmallText(`/proc/${processId}/stat`))
    return group === String(groupId) && state !== 'Z' && state !== 'X'
  } catch {
    // The process has ended meanwhile.
    return false
  }
}

/** Source: proc(5), `/proc/pid/stat`. The name in parentheses may hold anything; the third field follows it. */
export function readStat(stat: string): { state: string; group: string; startTicks: string } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', group: fields[2] ?? '', startTicks: fields[19] ?? '' }
}

function signalTree(processId: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  const found = sendSignal(processId, 0)
  if (found !== 'sent' || signal === 0) return found
  const args = ['/pid', String(processId), '/T', '/F']
  const ender = spawn('taskkill', args, { stdio: 'ignore', windowsHide: true })
  // Where it cannot be started the group counts as left, which the caller sees.
  ender.on('error', () => undefined)
  return 'sent'
}
