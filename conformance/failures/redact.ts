import { type Contract, responseFor } from '../contract/contract.ts';
import type { Exchange } from '../execute/exchange.ts';
import { annotatedValues, isSecretSchema } from '../schema/annotated-values.ts';

/** Keeps secrets out of every output: what the user gave, what the server issued, what the contract calls secret. */
export interface Redactor {
  /** @param variable the shell variable that stands for it in a curl line: `TOKEN` */
  readonly keep: (text: string, variable?: string) => void;
  /** Secrets that have a variable. */
  readonly variables: () => ReadonlyMap<string, string>;
  /** Learns the secrets of an exchange from the schemas of its request and answer. */
  readonly learn: (exchange: Exchange) => readonly { readonly text: string; readonly pointer: string }[];
  readonly redact: (text: string) => string;
}

/** Shorter ones cannot be told from ordinary text. */
const leastLength = 4;

export function createRedactor(contract: Contract): Redactor {
  const secrets = new Set<string>();
  const variables = new Map<string, string>();
  let pattern: RegExp | undefined;
  const keep = (text: string, variable?: string): void => {
    if (text.length < leastLength || secrets.has(text)) return;
    if (variable !== undefined) variables.set(text, variable);
    for (const spelling of [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]) secrets.add(spelling);
    pattern = undefined;
  };
  return {
    keep,
    variables: () => variables,
    learn: (exchange) => {
      const found = [...secretsOf(contract, exchange)];
      for (const { text } of found) keep(text);
      return found.filter(({ isAnswer }) => isAnswer);
    },
    redact: (text) => {
      if (secrets.size === 0) return text;
      // The longest first, so that no end of a secret is left over.
      pattern ??= new RegExp(
        [...secrets]
          .sort((a, b) => b.length - a.length)
          .map(spell)
          .join('|'),
        'g',
      );
      return text.replaceAll(pattern, '***');
    },
  };
}

function spell(secret: string): string {
  const escaped = secret.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return secret.length < 8 ? `(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])` : escaped;
}

function* secretsOf(
  contract: Contract,
  { operation, seen, outcome }: Exchange,
): Generator<{ text: string; pointer: string; isAnswer: boolean }> {
  const response = outcome.kind === 'answer' ? responseFor(operation, outcome.status) : undefined;
  const sides = [
    ...operation.parameters.map(({ name, in: where, schema }) => {
      const value =
        where === 'path'
          ? seen.path[name]
          : where === 'query'
            ? seen.query[name]
            : seen.requestHeaders[name.toLowerCase()];
      return { schema, value, isAnswer: false };
    }),
    ...(operation.body?.contents ?? []).map(({ schema }) => ({ schema, value: seen.requestBody, isAnswer: false })),
    ...(response?.contents ?? []).map(({ schema }) => ({ schema, value: seen.responseBody, isAnswer: true })),
  ];
  for (const { schema, value, isAnswer } of sides) {
    if (schema === undefined || value === undefined) continue;
    for (const part of annotatedValues(contract.root, schema, value)) {
      if (!isSecretSchema(part.schema)) continue;
      for (const text of leavesOf(part.value)) yield { text, pointer: part.pointer, isAnswer };
    }
  }
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
