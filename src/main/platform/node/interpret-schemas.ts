/**
 * Import this before any schema is made: each one is then interpreted. zod otherwise compiles a function for each at its
 * first use, 0.5 ms of processor time apiece, which most of the hundreds never earn back; none of the host's code is
 * made at run time then either.
 *
 * The global is zod's own, read as it loads; its `config` would have to load zod first.
 */
Reflect.set(globalThis, '__zod_globalConfig', { jitless: true })
