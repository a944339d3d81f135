/**
 * `npm run types`: compiles every layer with a tsconfig of its surroundings, as many at a time as there are cores.
 *
 * Always compiles from the beginning: with the results that the compiler (7.0.2) can keep from run to run, a layer with
 * 182 errors was reported as clean.
 *
 * Each compiler runs in one thread: several threads would each compute the same types, which costs twice as much.
 * Less frequent garbage collection saves another tenth.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
/** The longest first. `electron` compiles `src/main` too: both are Node's, and most of it would be checked twice. */
const layers = ['tests', 'electron', 'src/renderer', 'src/shared', 'src/preload']
const compiler = path.join(root, 'node_modules/typescript/bin/tsc')

type Outcome = { layer: string; isClean: boolean; output: string }

function compile(layer: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, '-p', layer, '--pretty', 'false', '--singleThreaded'], {
      cwd: root,
      env: { GOGC: '400', ...process.env },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ layer, isClean: code === 0, output }))
  })
}

function hasSources(layer: string): boolean {
  const folder = path.join(root, layer)
  if (!existsSync(folder)) return false
  return readdirSync(folder, { recursive: true }).some((name) => /(?<!\.test)\.tsx?$/.test(String(name)))
}

const waiting = layers.filter(hasSources)
let hasFailed = false

async function work(): Promise<void> {
  for (let layer = waiting.shift(); layer !== undefined; layer = waiting.shift()) {
    const outcome = await compile(layer)
    console.log(`${outcome.isClean ? 'ok    ' : 'FAILED'} ${outcome.layer}`)
    if (outcome.isClean) continue
    hasFailed = true
    console.error(outcome.output.trimEnd())
  }
}

await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work))
if (hasFailed) process.exitCode = 1
