import { findChromium } from '../../scripts/setup/chromium.mjs'
import { hasMemoryPlace } from '../fakes/memory-folder.ts'

/** Only the last list of features counts, so that Playwright's own is said again. Source: Playwright, chromiumSwitches. */
const playwrightsFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/** Pages of the address bar that nobody sees: drawing them took most of what each new window costs. */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup']

/** A process that waits for the next page would be started for every page, and ended unused. */
const spareProcess = ['SpareRendererForSitePerProcess']

/** How the system's Chromium is started; `TSUGI_CHROMIUM` names another executable. */
export const chromium = {
  executablePath: findChromium() ?? '/usr/bin/chromium',
  // Playwright has its processes share memory in files on the disk, for containers with little of the other kind.
  ignoreDefaultArgs: hasMemoryPlace() ? ['--disable-dev-shm-usage'] : [],
  args: [
    '--no-sandbox',
    '--disable-gpu',
    // Pages of one context share a process: starting one takes a third of what opening a page costs.
    '--renderer-process-limit=1',
    // Pages live for seconds: compiling their code well takes a tenth of the processor's time and is never earned back.
    '--js-flags=--no-turbofan,--no-maglev',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${[...playwrightsFeatures, ...addressBar, ...spareProcess].join(',')}`,
  ],
}
