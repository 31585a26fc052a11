/** Native from Node 26 on, the polyfill where the runtime has none. Types come from TypeScript's own library. */
export const Temporal: typeof globalThis.Temporal = globalThis.Temporal ?? (await import('temporal-polyfill')).Temporal;
