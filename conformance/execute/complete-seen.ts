import { isJson } from '../contract/media-type.ts';
import type { Seen } from '../contract/runtime-expression.ts';
import { type Answer, headerOf, type NoAnswer } from './exchange.ts';

/** Adds the answer to what links and rules can see. */
export function completeSeen(seen: Seen, outcome: Answer | NoAnswer): Seen {
  if (outcome.kind === 'none') return seen;
  return {
    ...seen,
    status: outcome.status,
    responseHeaders: Object.fromEntries(outcome.headers),
    responseBody: isJson(headerOf(outcome, 'content-type') ?? '') ? parse(outcome.body) : undefined,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
