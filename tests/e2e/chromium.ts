import { findChromium } from '../../scripts/setup/chromium.mjs'
import { hasMemoryPlace } from '../fakes/disks/memory-folder.ts'

/** Playwright's own list, repeated as only the last list of features counts. Source: Playwright, chromiumSwitches. */
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

/** Invisible pages of the address bar, whose drawing took most of the cost of each new window. */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup']

/** Chromium would start a spare process for the next page with every page, and end it unused. */
const spareProcess = ['SpareRendererForSitePerProcess']

/**
 * A script that is parsed while it arrives is parsed on another thread, for each page anew. Compiled when it is there,
 * it is found in the memory of the process, since pages share one: a sixth of the cost of a page.
 */
const streaming = ['ScriptStreaming', 'SmallScriptStreaming', 'BackgroundResourceFetch']

/** How the system's Chromium is started; `TSUGI_CHROMIUM` names another executable. */
export const chromium = {
  executablePath: findChromium() ?? '/usr/bin/chromium',
  // Playwright's default puts shared memory into files on the disk, for containers with little shared memory.
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
    `--disable-features=${[...playwrightsFeatures, ...addressBar, ...spareProcess, ...streaming].join(',')}`,
  ],
}
