import { contentHash } from '../platform/files/content-hash.ts'

/** Programs that build the wall, by absolute paths. */
export type WallPrograms = { unshare: string; bwrap: string; shell: string }

/** A place of the host that a command sees. Shape: absolute paths; `link` is the target of a symbolic link. */
export type VisiblePlace = { path: string } | { path: string; link: string }

/**
 * The files and limits of a sandboxed process.
 *
 * Shape: absolute real paths. `searchPath` is the list of folders, outside of the project, in which the scripts below
 * find their programs; the command has its own. `run` holds the folders `lower`, `upper`, `work`, `merged` and `tmp`. `masked`,
 * `maskedFolders` and `readOnly` are relative to `project`, `maskedOutside` are not; `mask` is a file without rights.
 */
export type WallSpec = {
  programs: WallPrograms
  searchPath: string
  run: string
  project: string
  cwd: string
  uid: number
  gid: number
  /** The path of HOME, and the private folder that is mounted there. */
  home: string
  privateHome: string
  mask: string
  masked: readonly string[]
  maskedFolders: readonly string[]
  maskedOutside: readonly string[]
  readOnly: readonly string[]
  /** The folder that is mounted as `/etc`, with mount points for its visible folders. */
  etc: string
  /** Places that are mounted read-only: system folders, tool chains, added folders. */
  visible: readonly VisiblePlace[]
  limitFileBytes: number
  limitProcesses: number
  /** The kernel has a limit of processes for each process namespace (6.14). */
  hasLimitOfSpace: boolean
}

/** A program and its first arguments; it runs the command that follows them in the sandbox. */
export type Wall = { program: string; args: string[] }

/** Name of the file in a run's folder that exists once the copy is made. */
export const mountedName = 'mounted'

/**
 * First puts the layer over the project (`layer-copy.ts`) into the merged folder. Its own programs are not looked for
 * in the command's search path, which may lead into the project.
 * A project whose path has characters of mount options is bound to a plain name first. A process of the real root is
 * exempt from `ulimit -u`, so its process namespace gets the limit (`$5`); an older kernel would limit the whole machine.
 * `mounted` in the run's folder says that the copy was made.
 */
const mountScript = `cd "$1" || exit 125
(PATH=$6; export PATH
{ [ "$7" != lower ] || mount --rbind "$2" lower; } &&
mount -t overlay overlay -o lowerdir="$7",upperdir=upper,workdir=work,userxattr merged || exit 125
if [ -d over ]; then (cd merged && xargs -0 -r rm -rf --) <gone && cp -a over/. merged/ || exit 126; fi) || exit
: >${mountedName} || exit 126
ulimit -f "$3"; ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null
if [ "$5" = space ]; then echo "$4" >/proc/sys/kernel/pid_max; fi 2>/dev/null
shift 7; exec "$@"`

const listScript = `PATH=$3; export PATH
cd "$1" && { [ "$4" != lower ] || mount --rbind "$2" lower; } &&
mount -t overlay overlay -o lowerdir="$4",upperdir=upper,workdir=work,userxattr merged || exit 125
shift 4; cd merged && exec "$@"`

/** Arguments of `unshare` for the namespaces of the mount. */
const outer = ['--user', '--map-root-user', '--mount', '--propagation', 'private']

/** Units: bytes of a block of `ulimit -f`. */
const blockBytes = 512
const smallFolders = ['/run', '/var/tmp', '/dev/shm']
const smallFolderBytes = 64 * 1024 ** 2

/**
 * Returns the whole sandbox of a command: namespaces, an overlay over the project, bubblewrap inside.
 *
 * The inner user namespace and the dropped capabilities keep the command from unmounting what hides secrets.
 */
export function wallOf(spec: WallSpec): Wall {
  const { programs, run, project, uid, gid } = spec
  const isRoot = uid === 0
  const blocks = Math.floor(spec.limitFileBytes / blockBytes)
  return {
    program: programs.unshare,
    args: [
      ...outer,
      ...(isRoot ? ['--pid', '--fork', '--kill-child'] : []),
      '--',
      programs.shell,
      '-c',
      mountScript,
      'wall',
      run,
      project,
      String(blocks),
      String(spec.limitProcesses),
      isRoot && spec.hasLimitOfSpace ? 'space' : 'user',
      spec.searchPath,
      lowerOf(project),
      programs.bwrap,
      ...['--unshare-user', '--uid', String(uid), '--gid', String(gid), '--cap-drop', 'ALL'],
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--new-session'],
      '--die-with-parent',
      ...seen(spec),
      '--',
    ],
  }
}

/** Returns a name of the present sandbox's options: a trial of other options says nothing about this one. */
export function wallName(programs: WallPrograms): string {
  const none = { searchPath: '', run: '', project: '', cwd: '', home: '', privateHome: '', mask: '', etc: '' }
  const lists = { masked: [], maskedFolders: [], maskedOutside: [], readOnly: [], visible: [] }
  const limits = { uid: 0, gid: 0, limitFileBytes: 0, limitProcesses: 0, hasLimitOfSpace: true }
  return contentHash(wallOf({ programs, ...none, ...lists, ...limits }).args.join('\0')).slice(0, 16)
}

/** Runs a program in the merged folder of a run whose command has ended, to read what only the mount shows. */
export function mergedWall(spec: Pick<WallSpec, 'programs' | 'searchPath' | 'run' | 'project'>): Wall {
  const { programs, searchPath, run, project } = spec
  return {
    program: programs.unshare,
    args: [
      ...outer,
      '--',
      programs.shell,
      '-c',
      listScript,
      'wall',
      run,
      project,
      searchPath,
      lowerOf(project),
    ],
  }
}

/** Returns the name of the project in the options of the mount: its path, or that of the folder where it is bound. */
function lowerOf(project: string): string {
  // The options of a mount have one page.
  return /^[\p{L}\p{N}/ ._-]{1,1000}$/u.test(project) ? project : 'lower'
}

/** Returns the mounts of a command, in order: later mounts cover earlier ones. */
function seen(spec: WallSpec): string[] {
  const { run, project, home } = spec
  const at = (path: string): string => `${project}/${path}`
  const isInPrivate = (path: string): boolean =>
    [...smallFolders, '/tmp', home].some((folder) => path.startsWith(`${folder}/`))
  return [
    ...['--ro-bind', spec.etc, '/etc'],
    // A mount costs half a millisecond: places in private folders are mounted once, after those folders.
    ...spec.visible.filter(({ path }) => !isInPrivate(path)).flatMap(place),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...smallFolders.flatMap(smallFolder),
    ...['--bind', `${run}/tmp`, '/tmp'],
    ...['--bind', spec.privateHome, home],
    ...spec.visible.filter(({ path }) => isInPrivate(path)).flatMap(place),
    ...['--bind', `${run}/merged`, project],
    ...spec.readOnly.flatMap((path) => ['--ro-bind', `${run}/merged/${path}`, at(path)]),
    ...[...spec.masked.map(at), ...spec.maskedOutside].flatMap((path) => ['--ro-bind', spec.mask, path]),
    ...spec.maskedFolders.map(at).flatMap(closedFolder),
    ...['--remount-ro', '/'],
    ...['--chdir', spec.cwd],
  ]
}

function place(visible: VisiblePlace): string[] {
  const { path } = visible
  return 'link' in visible ? ['--symlink', visible.link, path] : ['--ro-bind', path, path]
}

function smallFolder(path: string): string[] {
  return ['--size', String(smallFolderBytes), '--tmpfs', path]
}

/** Mounts an empty folder without rights, which the command cannot change. */
function closedFolder(path: string): string[] {
  return ['--perms', '0000', ...smallFolder(path), '--remount-ro', path]
}
