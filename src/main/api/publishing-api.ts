import type { Api } from '../../shared/contract/index.ts'
import type { publishingContract } from '../../shared/contract/publishing.ts'
import type { PublishingService } from '../publishing/publishing-service.ts'

/** Texts for others: loaded with the first one, since writing and reading them needs whole libraries. */
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
