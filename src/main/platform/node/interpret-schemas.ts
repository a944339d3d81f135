/**
 * Makes zod interpret schemas; import this before any schema is created. zod otherwise compiles a function for each at
 * its first use, 0.5 ms of processor time apiece, which most of the hundreds of schemas never save again. Without it no
 * code of the host is generated at run time.
 *
 * The global is zod's own, read as it loads; its `config` would have to load zod first.
 */
Reflect.set(globalThis, '__zod_globalConfig', { jitless: true })
