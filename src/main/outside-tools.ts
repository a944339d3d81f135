import type { Deps } from './deps.ts'
import { createToolServers, type ToolServers } from './mcp/tool-servers.ts'
import type { SettingsService } from './settings/settings-service.ts'
import type { LoginEnvironment } from './tools/commands/login-environment.ts'
import { createWebReader, type WebReader } from './web/web-reader.ts'

/** Access of tools to places outside of this machine, as far as the user has switched it on. */
export type OutsideTools = {
  /** Returns null while the user has switched off the reading of web pages. */
  web(): WebReader | null
  servers: ToolServers
}

export function createOutsideTools(
  deps: Deps,
  settings: Pick<SettingsService, 'get' | 'watch'>,
  loginEnvironment: () => Promise<LoginEnvironment>,
): OutsideTools {
  const reader = createWebReader(deps)
  return {
    web: () => (settings.get().isWebFetchOn ? reader : null),
    servers: createToolServers({
      log: deps.log,
      secrets: deps.shell.secrets,
      settings,
      environment: async () => (await loginEnvironment()).variables,
    }),
  }
}
