import { createBridge, runMainWorld } from './bridge.ts'
import { cloneable } from './clone.ts'
import { runPreloadWorld } from './preload-world.ts'

/** The name of the world that preload scripts run in. Source: Electron shows it in its DevTools. */
export const preloadWorld = 'Electron Isolated Context'
/** Called by the page. */
export const binding = 'electronStandInSend'

/**
 * The two scripts that every page begins with, one for each world. `token` keeps the page from guessing
 * the names of the events between them.
 */
export function pageScripts(preloadSource: string, token: string): { main: string; preload: string } {
  const [toMain, toPreload] = [`main-${token}`, `preload-${token}`].map((name) => JSON.stringify(name))
  // Only the page itself has a preload script, not the frames inside it.
  const only = 'if (window !== window.top) return'
  return {
    main: `(() => { ${only}
      const cloneable = ${cloneable}
      ${runMainWorld}
      runMainWorld((${createBridge})(cloneable, ${toMain}, ${toPreload}))
    })()`,
    preload: `(() => { ${only}
      const cloneable = ${cloneable}
      ${runPreloadWorld}
      runPreloadWorld((${createBridge})(cloneable, ${toPreload}, ${toMain}), cloneable,
        function (require, module, exports) {\n${preloadSource}\n})
    })()`,
  }
}
