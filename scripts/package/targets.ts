import { spawnSync } from 'node:child_process'

/** Something that a machine has to have before a target can be built on it. */
export type Need = { text: string; isHere(): boolean }

/** One system that installers are made for. */
export type Target = {
  title: string
  /** electron-builder's own name for it. */
  flag: '--linux' | '--win' | '--mac'
  makes: readonly string[]
  needs: readonly Need[]
  /** What signing needs, where there is a certificate. */
  optional: readonly string[]
}

const runtime: Need = {
  text: 'the network: Electron 45.4.1 from github.com/electron/electron, tools of electron-builder from github.com/electron-userland',
  isHere: () => canReach('https://github.com'),
}

export const targets = {
  linux: {
    title: 'Linux',
    flag: '--linux',
    makes: ['deb', 'AppImage', 'tar.gz (x64 and arm64)'],
    needs: [runtime, system('linux', 'Linux, so that the native packages of Linux are installed')],
    optional: [],
  },
  windows: {
    title: 'Windows',
    flag: '--win',
    makes: ['an installer for the user alone, nsis (x64 and arm64)'],
    needs: [runtime, system('win32', 'Windows, so that the native packages of Windows are installed')],
    optional: ['WIN_CSC_LINK and WIN_CSC_KEY_PASSWORD: a certificate; without it SmartScreen warns'],
  },
  mac: {
    title: 'macOS',
    flag: '--mac',
    makes: ['dmg', 'zip (x64 and arm64)'],
    needs: [runtime, system('darwin', 'macOS: a dmg and its signature are made there alone')],
    optional: [
      'CSC_LINK and CSC_KEY_PASSWORD: a Developer ID certificate; without it Gatekeeper refuses a download',
      'APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD and APPLE_TEAM_ID: notarisation',
    ],
  },
} as const satisfies Record<string, Target>

/** Returns the needs of a target that this machine does not meet. */
export function missingFor(target: Target): string[] {
  return target.needs.filter((need) => !need.isHere()).map((need) => need.text)
}

function system(platform: NodeJS.Platform, text: string): Need {
  return { text, isHere: () => process.platform === platform }
}

/** Checks in a child process, so that the answer can be awaited synchronously. */
function canReach(address: string): boolean {
  const ask = `fetch(${JSON.stringify(address)}, { method: 'HEAD', signal: AbortSignal.timeout(5000) }).then(() => process.exit(0), () => process.exit(1))`
  return spawnSync(process.execPath, ['-e', ask]).status === 0
}
