import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';

/** By name: their classes stand in files that load the database, or keys. */
const mendable = ['KeyFileFault', 'StoreUnusable', 'StoreUnavailable', 'DocsUnusable', 'TimezoneDataFault'];

/** What an operator can mend is said in a sentence; anything else is a bug and shows where. */
export function describeFailure(error: unknown): { readonly text: string; readonly json: unknown } {
  if (error instanceof CommanderError) return describe(error.message.replace(/^error: /, ''));
  if (error instanceof ConfigError) return describe(error.message, { faults: error.faults });
  const { name, message, code, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return describe(`${message}\nStop what listens there, or choose another port: PORT=8081`);
  return describe(code !== undefined || mendable.includes(name) ? message : `${stack}`);
}

function describe(text: string, more: object = {}): { readonly text: string; readonly json: unknown } {
  return { text, json: { error: text, ...more } };
}
