/**
 * The development server, run by the project's Node.
 *
 * Vite serves the window with hot reload and passes its calls to the web host, which is built in watch mode
 * and started anew after each change; the new host's link then goes to the open windows.
 */
import { spawn } from 'node:child_process'
import { createServer as createNetServer } from 'node:net'
import { resolveConfig } from 'electron-vite'
import { build, createServer, mergeConfig } from 'vite'
import { inRoot, root } from './paths.mjs'
import { readWords } from './words.mjs'

const { say } = readWords()
const { args, port } = takePort(process.argv.slice(2))
const hostPort = await freePort()
const hostUrl = `http://127.0.0.1:${hostPort}/`

const server = await startWindow()
const windowUrl = server.resolvedUrls.local[0]
const host = createHostProcess()
const watcher = await watchMain()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stopAll())

async function stopAll() {
  await Promise.all([watcher.close(), server.close(), host.stop()])
  process.exit(0)
}

/** Serves the window from its sources. Requests to the host carry the host's own address, the only one it accepts. */
async function startWindow() {
  const { config } = await resolveConfig({ root, logLevel: 'warn' }, 'serve', 'development')
  const toHost = {
    target: hostUrl,
    changeOrigin: true,
    ws: true,
    rewriteWsOrigin: true,
    headers: { origin: new URL(hostUrl).origin },
  }
  const own = {
    configFile: false,
    server: {
      host: '127.0.0.1',
      port,
      strictPort: port !== 5173,
      proxy: { '/link': toHost, '/rpc': toHost },
    },
    plugins: [linkFollower()],
  }
  const started = await createServer(mergeConfig(config.renderer, own))
  return started.listen()
}

/** Makes open windows follow the link of a host that was restarted. */
function linkFollower() {
  const id = '/@tsugi/follow-link.js'
  return {
    name: 'tsugi-follow-link',
    resolveId: (source) => (source === id ? id : undefined),
    load: (source) =>
      source === id
        ? `import.meta.hot.on('tsugi:link', ({ hash }) => { location.hash = hash; location.reload() })`
        : undefined,
    transformIndexHtml: () => [{ tag: 'script', attrs: { type: 'module', src: id }, injectTo: 'head' }],
  }
}

async function watchMain() {
  const { config } = await resolveConfig({ root, logLevel: 'warn' }, 'build', 'development')
  const watching = await build(
    mergeConfig(config.main, { configFile: false, build: { watch: {}, minify: false } }),
  )
  watching.on('event', (event) => {
    if (event.code === 'BUNDLE_END') void event.result.close()
    if (event.code === 'END') void host.restart()
    if (event.code === 'ERROR') console.error(event.error.message)
  })
  return watching
}

/** One host at a time: the next one starts when the last has given the data folder back. */
function createHostProcess() {
  let child
  let ended = Promise.resolve()
  let restarting = Promise.resolve()
  let hasLink = false

  function start() {
    const script = inRoot('out/main/web-host.js')
    child = spawn(process.execPath, [script, '--no-open', '--port', String(hostPort), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.on('data', (chunk) => {
      const text = String(chunk)
      process.stdout.write(text.replaceAll(hostUrl, windowUrl))
      const hash = /#link=[\w-]+/.exec(text)?.[0]
      if (hash === undefined) return
      if (hasLink) server.ws.send({ type: 'custom', event: 'tsugi:link', data: { hash } })
      else console.log(say('dev'))
      hasLink = true
    })
    ended = new Promise((resolve) => child.once('close', resolve))
  }

  const stop = async () => {
    child?.kill('SIGTERM')
    await ended
  }
  return {
    stop,
    restart() {
      restarting = restarting.then(stop).then(start)
      return restarting
    },
  }
}

/** Takes `--port` for the window's server; the host gets a free port. */
function takePort(given) {
  const index = given.indexOf('--port')
  if (index < 0) return { args: given, port: 5173 }
  return { args: given.filter((_, at) => at !== index && at !== index + 1), port: Number(given[index + 1]) }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createNetServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address()
      probe.close(() => resolve(free))
    })
  })
}
