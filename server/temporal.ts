/** Native from Node 26 on, otherwise the polyfill. The types are TypeScript's own. */
export const Temporal: typeof globalThis.Temporal = globalThis.Temporal ?? (await import('temporal-polyfill')).Temporal;
