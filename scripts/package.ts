/**
 * `npm run package [-- linux|windows|mac]`: builds the app and its installers; without a name, says what each
 * target needs and whether this machine has it.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { builderCall } from './package/builder-call.ts'
import { missingFor, type Target, targets } from './package/targets.ts'

const root = path.resolve(import.meta.dirname, '..')
const name = process.argv[2]

if (name === undefined) {
  for (const target of Object.values(targets)) describe(target)
  console.log('\nBuild one of them: npm run package -- linux|windows|mac')
} else if (name in targets) build(targets[name as keyof typeof targets])
else {
  console.error(`npm run package -- ${Object.keys(targets).join('|')}: ${name}?`)
  process.exitCode = 2
}

function describe(target: Target): void {
  console.log(`\n${target.title}: ${target.makes.join(', ')}`)
  for (const need of target.needs) console.log(`  ${need.isHere() ? 'here   ' : 'missing'} ${need.text}`)
  for (const hint of target.optional) console.log(`  if set  ${hint}`)
}

function build(target: Target): void {
  const missing = missingFor(target)
  if (missing.length > 0) {
    describe(target)
    console.error(`\nThis machine cannot build for ${target.title}: ${missing.join('; ')}`)
    process.exitCode = 1
    return
  }
  run('node_modules/electron-vite/bin/electron-vite.js', ['build'])
  const { args, env } = builderCall(target, { arch: process.arch, env: process.env })
  run('node_modules/electron-builder/cli.js', args, env)
}

function run(script: string, args: string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status } = spawnSync(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}
