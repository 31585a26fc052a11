import type { Contract } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import type { Answer, Exchange } from '../execute/exchange.ts';
import type { Place } from './constraints.ts';
import { type Complaint, readComplaints } from './dialects.ts';
import { findPlace } from './find-place.ts';

const longestText = 4_000;

/** Statuses whose body may say what was wrong with the data. */
const aboutData = new Set([400, 404, 409, 412, 413, 415, 422, 428, 501]);

/** A 4xx that may say what was wrong with the data, or a 501 that may name the value that is not implemented. */
export interface Rejection {
  readonly status: number;
  /** As JSON, or as text. */
  readonly body: unknown;
  readonly observations: readonly Observation[];
  /** Its sentences. */
  readonly message: readonly string[];
  /** Status and text without what differs from request to request: the same words are about the same rule. */
  readonly words: string;
}

/** One sentence of a rejection: what it asks for, and where. */
export interface Observation extends Complaint {
  /** The place of the request; undefined where the sentence names none. */
  readonly place: Place | undefined;
}

const known = new WeakMap<Exchange['outcome'], Rejection | undefined>();

/**
 * Reads what an answer rejects, once for each answer.
 *
 * @returns undefined where it is no rejection of data
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
  return { status, body, observations, message: observations.map(({ message }) => message), words };
}

function bodyOf(outcome: Answer, seen: Seen): unknown {
  if (seen.responseBody !== undefined) return seen.responseBody;
  const text = outcome.body.subarray(0, 20_000).toString();
  try {
    return JSON.parse(text);
  } catch {
    // A page is made for eyes: what it says stands between its tags.
    return /^\s*</.test(text)
      ? text.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').slice(0, longestText)
      : text;
  }
}

/** Without values in quotes, numbers and ids. */
function withoutValues(rejection: unknown): string {
  const text = typeof rejection === 'string' ? rejection : (JSON.stringify(rejection) ?? '');
  return text
    .slice(0, 2_000)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{20,}|\d+/gi, '0')
    .replaceAll(/\\?["'`][^"'`]{0,80}["'`]/g, (quoted) => (/[:\s]/.test(quoted) ? quoted : '""'));
}
