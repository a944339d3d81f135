import { AppError } from '../../../shared/errors.ts'
import { type ModelServer, ServerHttp } from '../client/server-http.ts'

/** HTTP to KoboldCpp, whose errors are recognised by their status alone. */
export class KoboldHttp extends ServerHttp {
  constructor(server: ModelServer) {
    super(server, faultOf)
  }
}

function faultOf(address: string, status: number, text: string): AppError {
  if (status === 401) return new AppError({ code: 'model/unauthorized', address })
  if (status === 503) return new AppError({ code: 'model/busy', address })
  const reason = `HTTP ${status}: ${text.slice(0, 200)}`
  return new AppError({ code: 'model/bad-response', address, reason })
}
