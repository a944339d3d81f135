import type { Api } from '../../shared/contract/index.ts'
import type { publishingContract } from '../../shared/contract/publishing.ts'
import type { PublishingService } from '../publishing/publishing-service.ts'

/** Creates the API of export and import; its service is loaded at the first call, since it needs large libraries. */
export function createPublishingApi(
  load: () => Promise<PublishingService>,
): Pick<Api, keyof typeof publishingContract> {
  return {
    'work.texts': async ({ workId, paths }) => ({ texts: await (await load()).texts(workId, paths) }),
    'work.exportText': async ({ workId, target, options, mayReplace, paths }) =>
      (await load()).exportText(workId, target, options, mayReplace ?? false, paths),
    'work.importText': async ({ workId, file }) => ({ paths: await (await load()).importText(workId, file) }),
  }
}
