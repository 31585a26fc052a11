import type { Contract } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import type { Answer, Exchange } from '../execute/exchange.ts';
import type { Place } from './constraints.ts';
import { type Complaint, readComplaints } from './dialects.ts';
import { findPlace } from './find-place.ts';

const longestText = 4_000;

/** Statuses whose body may explain what is wrong with the data. */
const aboutData = new Set([400, 404, 409, 412, 413, 415, 422, 428, 501]);

/** A 4xx about the data of the request, or a 501 about a value that is not implemented. */
export interface Rejection {
  readonly status: number;
  /** As JSON, or as text. */
  readonly body: unknown;
  readonly observations: readonly Observation[];
  readonly sentences: readonly string[];
  /** Status and text without the values of the request: rejections with the same words are about the same rule. */
  readonly words: string;
}

/** One sentence of a rejection with its place in the request. */
export interface Observation extends Complaint {
  readonly place: Place | undefined;
}

const known = new WeakMap<Exchange['outcome'], Rejection | undefined>();

/**
 * Reads a rejection, once for each answer.
 *
 * @returns undefined if the answer is no rejection of data
 */
export function readRejection(contract: Contract, exchange: Exchange): Rejection | undefined {
  const { outcome } = exchange;
  if (!known.has(outcome)) known.set(outcome, parse(contract, exchange));
  return known.get(outcome);
}

function parse(contract: Contract, { operation, outcome, seen }: Exchange): Rejection | undefined {
  if (outcome.kind !== 'answer') return undefined;
  const { status } = outcome;
  if (!aboutData.has(status)) return undefined;
  const body = bodyOf(outcome, seen);
  const words = `${status} ${withoutValues(body)}`;
  const observations = readComplaints(body).map((complaint): Observation => {
    return { ...complaint, place: findPlace(contract, operation, seen, complaint) };
  });
  return { status, body, observations, sentences: observations.map(({ message }) => message), words };
}

function bodyOf(outcome: Answer, seen: Seen): unknown {
  if (seen.responseBody !== undefined) return seen.responseBody;
  const text = outcome.body.subarray(0, 20_000).toString();
  try {
    return JSON.parse(text);
  } catch {
    // An HTML page: its text is between the tags.
    return /^\s*</.test(text)
      ? text.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').slice(0, longestText)
      : text;
  }
}

/** Text of a rejection without quoted values, numbers and ids. */
function withoutValues(rejection: unknown): string {
  const text = typeof rejection === 'string' ? rejection : (JSON.stringify(rejection) ?? '');
  return text
    .slice(0, 2_000)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{20,}|\d+/gi, '0')
    .replaceAll(/\\?["'`][^"'`]{0,80}["'`]/g, (quoted) => (/[:\s]/.test(quoted) ? quoted : '""'));
}
