import type { ToolServer } from '../../../shared/domain/app/tool-server.ts'

/** Returns the command that is started, or the address that is asked, in one line. */
export function serverPlace({ transport }: ToolServer): string {
  return transport.kind === 'http' ? transport.address : [transport.command, ...transport.args].join(' ')
}
