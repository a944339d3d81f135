import { imageLine } from '../../shared/domain/image/attached-image.ts'
import type {
  KnownFile,
  ReferenceAnswers,
  ReferenceFailure,
  ReferenceTrouble,
} from '../../shared/domain/session/file-reference.ts'
import { type MessageSegment, segmentsText } from '../../shared/domain/session/message-segment.ts'
import type { FileItem } from '../../shared/domain/session/session-item.ts'
import { AppError, isAppError, onAppError } from '../../shared/errors.ts'
import type { ImageStore } from '../images/image-store.ts'
import { inOrder } from '../platform/in-order.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { FoundPath, ToolOperations } from '../tools/tool-operations.ts'
import {
  type FindPath,
  findMentions,
  type Mention,
  type NamesIn,
  nameKey,
  rangeText,
  textWithUnresolved,
} from './message-mentions.ts'
import {
  attachedText,
  type ChosenEncodings,
  limitReadBytes,
  type Reading,
  readFolder,
  readReference,
} from './read-reference.ts'
import { type BudgetInput, createReferenceBudget, type ReferenceBudget } from './reference-budget.ts'

export type ResolveInput = {
  operations: Pick<ToolOperations, 'locate' | 'read' | 'list'>
  /** The text of an open document, by its real path in the folder; undefined where it is not open. */
  openText(path: string): Promise<{ text: string; isUnsaved: boolean } | undefined>
  isSecret(path: string): Promise<boolean>
  answers: ReferenceAnswers
  /** The user's earlier answers about files that fit two encodings. */
  encodings: ChosenEncodings
  /** Keeps images that the model is to be shown; null where the one in use takes none. */
  images(): Promise<Pick<ImageStore, 'keep'> | null>
  /** Asked only where there is something to read. */
  budget(): Promise<BudgetInput>
}

/** The part of a reference that the window shows before the reference is in the conversation. */
type AttachedFile = Omit<FileItem, 'itemId' | 'seq' | 'turn' | 'at' | 'known'>

/**
 * Shape: `known` is null for folders, for what failed, and where no file has the text yet. `isSecret`: the user
 * was asked about it.
 */
export type ResolvedReference = { file: AttachedFile; known: KnownFile | null; isSecret: boolean }

/** A file to read once for all mentions of the same place and lines. */
type Wanted = { mention: Mention; place: Place }

type Place = { found: FoundPath } | { failure: ReferenceFailure; trouble: ReferenceTrouble | null }

/**
 * Finds and reads the files that a message names.
 *
 * Shape: `files` in the order of their first mention, each once; `modelText` is the message as the model reads it.
 * Errors: `reference/secret` where the user has not been asked about a secret yet; none of its content is sent then.
 */
export async function resolveReferences(segments: readonly MessageSegment[], input: ResolveInput) {
  const lookups = new SharedLookups()
  try {
    const { mentions, places } = await findPlaces(segments, input, lookups)
    const { secrets, refused } = await askAboutSecrets(mentions, places, input)
    if (mentions.length === 0) return { files: [], modelText: segmentsText(segments) }
    const wanted = new Map<string, Wanted>()
    const keys = mentions.map((mention) => {
      const place = places.get(mention.path) ?? notFound
      const key = ('found' in place ? place.found.path : `@${mention.path}`) + rangeText(mention.range)
      if (!wanted.has(key)) wanted.set(key, { mention, place: refused.has(mention.path) ? isRefused : place })
      return key
    })
    const files = await resolveAll(wanted, secrets, input, lookups)
    await askAboutBecome(files.values(), secrets, input)
    const failed: Mention[] = []
    for (const [index, mention] of mentions.entries()) {
      const state = files.get(keys[index] ?? '')?.file.state
      // A typed name that names nothing is not meant as a file for certain: `@types/node`.
      const isName = segments[mention.segment]?.kind === 'text' && state === 'not-found'
      if (state !== 'ok' && !isName) failed.push(mention)
    }
    return { files: [...files.values()], modelText: textWithUnresolved(segments, failed) }
  } finally {
    await lookups.close()
  }
}

/** Reads several files at once; their budget is divided in the order of the mentions. Shape: by the keys of `wanted`. */
async function resolveAll(
  wanted: ReadonlyMap<string, Wanted>,
  secrets: ReadonlySet<string>,
  input: ResolveInput,
  lookups: SharedLookups,
): Promise<Map<string, ResolvedReference>> {
  const budget = createReferenceBudget(await input.budget())
  const files = new Map<string, ResolvedReference>()
  const readings = inOrder(
    [...wanted],
    async ([key, one]) => ({ key, ...one, reading: await readingOf(one, input, lookups) }),
    { items: filesAtOnce, cost: { most: limitReadBytes, of: ([, { place }]) => sizeOfPlace(place) } },
  )
  for await (const { key, mention, place, reading } of readings) {
    const one = await resolveOne(mention, place, reading, budget)
    files.set(key, { ...one, isSecret: secrets.has(mention.path) })
  }
  return files
}

/** Checks for a queued message whether the user must be asked about secrets. Errors: `reference/secret`. */
export async function checkReferences(
  segments: readonly MessageSegment[],
  input: Pick<ResolveInput, 'operations' | 'isSecret' | 'answers'>,
): Promise<void> {
  const lookups = new SharedLookups()
  try {
    const { mentions, places } = await findPlaces(segments, input, lookups)
    await askAboutSecrets(mentions, places, input)
  } finally {
    await lookups.close()
  }
}

/** Number of files that are read at once; all together may have as many bytes as one file. */
const filesAtOnce = 8
/** A list of fewer names is complete: cut lists are longer. */
const limitListed = 2_000
const notFound: Place = { failure: 'not-found', trouble: null }
const isRefused: Place = { failure: 'refused', trouble: null }

async function findPlaces(
  segments: readonly MessageSegment[],
  { operations }: { operations: Pick<ToolOperations, 'locate' | 'list'> },
  lookups: SharedLookups,
): Promise<{ mentions: Mention[]; places: Map<string, Place> }> {
  const looked = new Map<string, Promise<Place>>()
  const placeOf = (path: string): Promise<Place> => {
    const known = looked.get(path) ?? findPlace(path, operations, lookups)
    looked.set(path, known)
    return known
  }
  const findPath: FindPath = async (path) => {
    const place = await placeOf(path)
    return 'found' in place ? place.found : null
  }
  const listed = new Map<string, ReturnType<NamesIn>>()
  const namesIn: NamesIn = (folder) => {
    const known = listed.get(folder) ?? namesOf(folder, findPath, operations, lookups)
    listed.set(folder, known)
    return known
  }
  const mentions = await findMentions(segments, findPath, namesIn)
  const places = new Map<string, Place>()
  for (const { path } of mentions) places.set(path, await placeOf(path))
  return { mentions, places }
}

/** Returns the names of a folder; null for a list that may be cut, since a missing name may exist all the same. */
async function namesOf(
  folder: string,
  findPath: FindPath,
  operations: Pick<ToolOperations, 'list'>,
  lookups: SharedLookups,
): Promise<ReadonlySet<string> | null> {
  const found = await findPath(folder)
  if (found?.kind !== 'folder') return new Set()
  const entries = await operations.list(folder, { isNamesOnly: true, lookups }).catch(onAppError(null))
  if (entries === null || entries.length >= limitListed) return null
  return new Set(entries.map(({ name }) => nameKey(name)))
}

async function findPlace(
  path: string,
  operations: Pick<ToolOperations, 'locate'>,
  lookups: SharedLookups,
): Promise<Place> {
  try {
    const found = await operations.locate(path, lookups)
    return found.kind === 'none' ? notFound : { found }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { info } = error
    // A path with nothing at it is found as `none`; this error means that the target of a link is missing.
    const isBroken = info.code === 'file/not-found' || ('reason' in info && info.reason === 'ELOOP')
    if (isBroken) return { failure: 'is-broken-link', trouble: null }
    return failureOf(error)
  }
}

/** Returns the secret paths that the user was asked about, and those of them that are not sent. */
async function askAboutSecrets(
  mentions: readonly Mention[],
  places: ReadonlyMap<string, Place>,
  { isSecret, answers }: Pick<ResolveInput, 'isSecret' | 'answers'>,
): Promise<{ secrets: ReadonlySet<string>; refused: ReadonlySet<string> }> {
  const secrets = new Set<string>()
  for (const { path } of mentions) {
    const place = places.get(path)
    if (place === undefined || !('found' in place) || place.found.kind !== 'file') continue
    if ((await isSecret(path)) || (await isSecret(place.found.path))) secrets.add(path)
  }
  const { allowSecrets } = answers
  if (secrets.size === 0) return { secrets, refused: secrets }
  if (allowSecrets === undefined) throw new AppError({ code: 'reference/secret', paths: [...secrets] })
  return { secrets, refused: new Set([...secrets].filter((path) => !allowSecrets.includes(path))) }
}

/**
 * Checks the files again after reading: one may have become a secret since the user was asked.
 *
 * Errors: `reference/secret`, with those that were asked about before.
 */
async function askAboutBecome(
  files: Iterable<ResolvedReference>,
  secrets: ReadonlySet<string>,
  { isSecret }: Pick<ResolveInput, 'isSecret'>,
): Promise<void> {
  const become: string[] = []
  for (const { file, known, isSecret: isAsked } of files)
    if (!isAsked && known !== null && (await isSecret(known.path))) become.push(file.path)
  if (become.length > 0) throw new AppError({ code: 'reference/secret', paths: [...secrets, ...become] })
}

async function resolveOne(
  { path, range }: Mention,
  place: Place,
  reading: Reading,
  budget: ReferenceBudget,
): Promise<Omit<ResolvedReference, 'isSecret'>> {
  const base: AttachedFile = {
    kind: 'file',
    path,
    range,
    what: 'found' in place && place.found.kind === 'folder' ? 'folder' : 'file',
    state: 'ok',
    text: '',
    sizeBytes: null,
    isCut: false,
    isUnsaved: false,
    encodings: [],
    trouble: null,
  }
  if ('failure' in reading) {
    const { failure, trouble, encodings = [] } = reading
    return { file: { ...base, state: failure, trouble, encodings }, known: null }
  }
  if ('image' in reading) {
    const { image, known } = reading
    const file = { ...base, text: imageLine(image), sizeBytes: image.sizeBytes, image }
    return { file, known }
  }
  const { text, isCut, known } = await attachedText(reading, budget)
  const { sizeBytes, isUnsaved } = reading
  return { file: { ...base, text, isCut, sizeBytes, isUnsaved }, known }
}

async function readingOf(
  { mention: { path, range }, place }: Wanted,
  { operations, openText, answers, encodings, images }: ResolveInput,
  lookups: SharedLookups,
): Promise<Reading> {
  if ('failure' in place) return place
  const { found } = place
  try {
    if (found.kind === 'folder') return await readFolder(path, range, { operations, lookups })
    if (found.kind !== 'file') return { failure: 'io', trouble: 'not-regular' }
    const encoding = answers.encodings?.[path]
    return await readReference(
      { path, range, realPath: found.path },
      { operations, openText, encodings, encoding, images, lookups },
    )
  } catch (error) {
    if (!isAppError(error)) throw error
    return failureOf(error)
  }
}

function sizeOfPlace(place: Place): number {
  return 'found' in place ? (place.found.sizeBytes ?? 0) : 0
}

function failureOf({ info }: AppError): { failure: ReferenceFailure; trouble: ReferenceTrouble | null } {
  switch (info.code) {
    case 'file/outside':
      return { failure: 'out-of-scope', trouble: null }
    case 'file/not-found':
    case 'file/bad-name':
      return { failure: 'not-found', trouble: null }
    case 'file/denied':
      return { failure: 'io', trouble: 'denied' }
    case 'file/too-large':
    case 'image/too-large':
      return { failure: 'io', trouble: 'too-large' }
    default:
      return { failure: 'io', trouble: 'failed' }
  }
}
