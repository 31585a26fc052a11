import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { type Cure, OperatorError } from '../operator-error.ts';
import { type Surroundings, sayCommand, sayCure } from './say-cure.ts';

/** What is printed: for people, and as JSON for machines. */
export interface Description {
  readonly text: string;
  readonly json: unknown;
}

/** What an operator can mend is said in a sentence; anything else is a bug and shows where. */
export function describeFailure(error: unknown, surroundings?: Surroundings): Description {
  if (error instanceof CommanderError) return describe(error.message.replace(/^error: /, ''));
  if (error instanceof ConfigError) return describe(error.message, { faults: error.faults });
  if (error instanceof OperatorError) return withCures(describe(error.message), error.cures, surroundings);
  const { message, code, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return describe(`${message}\nStop what listens there, or choose another port: PORT=8081`);
  return describe(code !== undefined ? message : `${stack}`);
}

/** The same with what helps: a line each, and for machines the commands alone. */
export function withCures(
  { text, json }: Description,
  cures: readonly Cure[] = [],
  surroundings?: Surroundings,
): Description {
  if (cures.length === 0) return { text, json };
  const whole = [text, ...cures.map((cure) => sayCure(cure, surroundings))].join('\n');
  const isError = Object.hasOwn(json as object, 'error');
  return {
    text: whole,
    json: {
      ...(json as object),
      ...(isError && { error: whole }),
      cures: cures.map((cure) => sayCommand(cure, surroundings)),
    },
  };
}

function describe(text: string, more: object = {}): Description {
  return { text, json: { error: text, ...more } };
}
