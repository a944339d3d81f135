import { pythonJson } from './python-json.ts'
import { commonHeaders, type RawReply } from './raw-http.ts'

/** Replies of 200 and 400 carry a length, the others none; `undefined` is an empty HTML body. */
export function sendJson(reply: RawReply, status: string, value: unknown): void {
  if (value === undefined) {
    reply.send(status, commonHeaders('text/html'))
    return
  }
  const body = pythonJson(value)
  const hasLength = status.startsWith('200') || status.startsWith('400')
  const length: [string, string][] = hasLength ? [['content-length', String(body.length)]] : []
  reply.send(status, [...length, ...commonHeaders('application/json')], body)
}

export function sendMissing(reply: RawReply, body?: string): void {
  reply.send('404 Not Found', commonHeaders('text/html'), body)
}

export function sendBusy(reply: RawReply): void {
  sendJson(reply, '503 Service Unavailable', {
    detail: { msg: 'Server is busy; please try again later.', type: 'service_unavailable' },
  })
}

export function sendUnauthorized(reply: RawReply): void {
  sendJson(reply, '401 Unauthorized', {
    detail: {
      error: 'Unauthorized',
      msg: 'Authentication key is missing or invalid.',
      type: 'unauthorized',
    },
  })
}

export function sendUnreadable(reply: RawReply): void {
  sendJson(reply, '500 Internal Server Error', {
    detail: { msg: 'Error parsing input.', type: 'bad_input' },
  })
}

/** Python's own page for a method that the server does not know. */
export function sendHtmlError(reply: RawReply, method: string): void {
  const message = `Unsupported method ('${method}')`
  const body = `<!DOCTYPE HTML>
<html lang="en">
    <head>
        <meta charset="utf-8">
        <title>Error response</title>
    </head>
    <body>
        <h1>Error response</h1>
        <p>Error code: 501</p>
        <p>Message: ${message}.</p>
        <p>Error code explanation: 501 - Server does not support this operation.</p>
    </body>
</html>
`
  reply.send(
    `501 ${message}`,
    [
      ['Connection', 'close'],
      ['Content-Type', 'text/html;charset=utf-8'],
      ['Content-Length', String(body.length)],
      ...commonHeaders(),
    ],
    body,
  )
}
