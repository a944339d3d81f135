import { mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

type OnSecond = (argv: string[], workingDirectory: string, additionalData: unknown) => void

/**
 * Allows one instance for each user-data folder, as Chromium does on Linux: by a link that names the process, and a
 * socket to which a second instance sends its command line.
 */
export function createInstanceLock(onSecond: OnSecond) {
  let telling: Promise<void> = Promise.resolve()

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  function take(link: string): boolean {
    try {
      symlinkSync(String(process.pid), link)
      return true
    } catch {
      if (isAlive(Number(readlinkSync(link)))) return false
      rmSync(link, { force: true })
      return take(link)
    }
  }

  function listen(socket: string): void {
    rmSync(socket, { force: true })
    const server = createServer((client) => {
      let text = ''
      client.setEncoding('utf8')
      client.on('data', (part: string) => {
        text += part
      })
      client.on('end', () => {
        const { argv, workingDirectory, additionalData } = JSON.parse(text)
        onSecond(argv, workingDirectory, additionalData)
      })
    })
    server.listen(socket).unref()
  }

  function tell(socket: string, additionalData: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const client = connect(socket, () =>
        client.end(JSON.stringify({ argv: process.argv, workingDirectory: process.cwd(), additionalData })),
      )
      client.once('close', () => resolve())
      client.once('error', reject)
    })
  }

  return {
    request(userData: string, additionalData: unknown): boolean {
      mkdirSync(userData, { recursive: true })
      const [link, socket] = [join(userData, 'SingletonLock'), join(userData, 'SingletonSocket')]
      if (take(link)) {
        listen(socket)
        process.once('exit', () => rmSync(link, { force: true }))
        return true
      }
      telling = tell(socket, additionalData)
      return false
    },
    /** Resolves when the first instance was told. */
    settled: () => telling,
  }
}
