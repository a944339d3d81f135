import type { Target } from './targets.ts'

/** Variables for signing an app. A workflow passes a secret that is not set as an empty string. */
const signingVariables = [
  'CSC_LINK',
  'CSC_KEY_PASSWORD',
  'WIN_CSC_LINK',
  'WIN_CSC_KEY_PASSWORD',
  'APPLE_ID',
  'APPLE_APP_SPECIFIC_PASSWORD',
  'APPLE_TEAM_ID',
] as const

/**
 * Returns the arguments and environment of electron-builder for one system on this machine.
 *
 * Shape: one processor, that of the machine, whose native packages are installed. Signing variables that are
 * empty are left out, since electron-builder takes an empty `CSC_LINK` for a path. Without a certificate a macOS
 * app is signed ad hoc: packing changes the runtime's fuses, which voids Electron's own signature, and an
 * Apple processor starts nothing unsigned. The hardened runtime would then refuse the app's own libraries, which
 * no team has signed.
 */
export function builderCall(
  target: Pick<Target, 'flag'>,
  machine: { arch: string; env: Readonly<Record<string, string | undefined>> },
): { args: string[]; env: Record<string, string | undefined> } {
  const env = { ...machine.env }
  for (const name of signingVariables) if (!env[name]?.trim()) delete env[name]
  const isAdHoc = target.flag === '--mac' && env.CSC_LINK === undefined && env.CSC_NAME === undefined
  const signing = isAdHoc ? ['-c.mac.identity=-', '-c.mac.hardenedRuntime=false'] : []
  return { args: [target.flag, `--${machine.arch}`, '--publish=never', ...signing], env }
}
