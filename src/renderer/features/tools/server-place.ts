import type { ToolServer } from '../../../shared/domain/app/tool-server.ts'

/** What is started or asked, in one line. */
export function serverPlace({ transport }: ToolServer): string {
  return transport.kind === 'http' ? transport.address : [transport.command, ...transport.args].join(' ')
}
