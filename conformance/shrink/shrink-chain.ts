// Finds a smaller chain that still shows a failure, with few attempts.
import type { Contract } from '../contract/contract.ts';
import { evaluate } from '../contract/document.ts';
import { validityOf } from '../data/wire-validity.ts';
import type { Draft } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import type { Chain } from '../failures/failure-file.ts';
import type { Judge } from '../schema/create-judge.ts';
import {
  droppingReductions,
  type IsFixed,
  type Reduction,
  simplifyingReductions,
  withoutUnused,
} from './reductions.ts';

/** Limits of one finding. */
export const mostEffort = { requests: 50, ms: 2_000 } as const;

/** One attempt to show a failure by a chain. */
export interface Attempt<Proof> {
  /** Undefined if the chain does not show it. */
  readonly proof: Proof | undefined;
  /** Number of requests sent, with deletions and repeats. */
  readonly requests: number;
  /** Whether no further attempt makes sense: no answer came, or the server asks to wait. */
  readonly isOver: boolean;
}

interface Shrinking<Proof> {
  readonly chain: Chain;
  /** The chain without requests that the failure does not need; the same one if it needs all. */
  readonly shorter: Chain;
  /** Whether each request of a chain proves the same as in another one: it is valid, or breaks the same keywords, in both. */
  readonly isAlike: (candidate: Chain, base: Chain) => boolean;
  readonly isFixed: IsFixed;
  readonly send: (chain: Chain) => Promise<Attempt<Proof>>;
  /** Milliseconds. */
  readonly clock: () => number;
}

interface Shrunk<Proof> {
  /** Set if the smaller chain has shown the failure twice. */
  readonly smaller?: { readonly chain: Chain; readonly proof: Proof };
  readonly requests: number;
}

/**
 * Makes a chain smaller: it loses requests first, then parts of requests, then values become simpler. The result is sent once more, and
 * requests for that are reserved.
 */
export async function shrinkChain<Proof>(given: Shrinking<Proof>): Promise<Shrunk<Proof>> {
  const { chain, shorter: base, isAlike, isFixed, send, clock } = given;
  const startedAt = clock();
  let requests = 0;
  let isOver = false;
  /** Deletions and repeats of one attempt. */
  let others = 1;
  /** @param times how often the chain will be sent, with this time */
  const attempt = async (candidate: Chain, times: 1 | 2): Promise<Proof | undefined> => {
    const isLate = times === 2 && clock() - startedAt >= mostEffort.ms;
    const whole = withoutUnused(candidate);
    const cost = times * (whole.requests.length + others);
    if (isOver || isLate || requests + cost > mostEffort.requests) return undefined;
    const got = await send(whole);
    requests += got.requests;
    others = Math.max(1, got.requests - whole.requests.length);
    isOver ||= got.isOver;
    return got.proof;
  };
  const reductionsOf = (base: Chain, all: readonly Reduction[]): readonly Reduction[] =>
    all.filter((reduction) => {
      const candidate = reduction(base);
      return candidate !== base && isAlike(candidate, base);
    });
  const droppingFrom = (base: Chain) => reductionsOf(base, droppingReductions(base));
  const simplifyingFrom = (base: Chain) => reductionsOf(base, simplifyingReductions(base, isFixed));

  const isSmallest = base === chain && droppingFrom(chain).length === 0 && simplifyingFrom(chain).length === 0;
  if (isSmallest || (await attempt(base, 2)) === undefined) return { requests };
  const search: Search = {
    isAlike: (candidate) => isAlike(candidate, base),
    shows: async (candidate) => (await attempt(candidate, 2)) !== undefined,
  };
  const dropped = await reduceChain(base, droppingFrom(base), search);
  const smallest = withoutUnused(await reduceChain(dropped, simplifyingFrom(dropped), search));
  const proof = smallest === chain ? undefined : await attempt(smallest, 1);
  return { requests, ...(proof !== undefined && { smaller: { chain: smallest, proof } }) };
}

interface Search {
  /** Whether a chain means the same: each request is valid, invalid at the same keywords, or unclear, as it was. */
  readonly isAlike: (chain: Chain) => boolean;
  /** Sends a chain. @returns whether it shows the failure; false if no further attempt is allowed */
  readonly shows: (chain: Chain) => Promise<boolean>;
}

/**
 * Applies as many reductions as the failure survives: all at once, else each half of them by itself (delta debugging, Zeller and
 * Hildebrandt 2002). Most failures need one attempt, and one that needs a part of n takes about 2 log n.
 */
export async function reduceChain(chain: Chain, reductions: readonly Reduction[], search: Search): Promise<Chain> {
  const tried = new Set<string>();
  const showsNew = async (candidate: Chain): Promise<boolean> => {
    const key = JSON.stringify(candidate);
    if (tried.has(key) || !search.isAlike(candidate)) return false;
    tried.add(key);
    return await search.shows(candidate);
  };
  const reduce = async (current: Chain, own: readonly Reduction[]): Promise<Chain> => {
    const candidate = own.reduce((smaller, reduction) => reduction(smaller), current);
    if (candidate === current || (await showsNew(candidate))) return candidate;
    if (own.length === 1) return current;
    const half = Math.ceil(own.length / 2);
    return await reduce(await reduce(current, own.slice(0, half)), own.slice(half));
  };
  return reductions.length === 0 ? chain : await reduce(chain, reductions);
}

/** The verdict on a request by the contract: its polarity, and every keyword that it breaks. Equal for requests that prove the same. */
export function verdictClassOf(judge: Judge, draft: Draft, contract: Contract): string {
  const { operation, parameters, body, edits: _, ...rest } = draft;
  const brokenBy = (part: string, schema: string | undefined, value: unknown): readonly string[] => {
    const violations = schema === undefined ? [] : judge.judge(schema, 'request', value);
    return violations?.map(({ pointer, detail }) => `${part} ${pointer} ${detail}`) ?? [`${part} unclear`];
  };
  const ofParameters = operation.parameters.flatMap((parameter) => {
    const { in: where, name, required, schema } = parameter;
    const part = `${where} ${name}`;
    const sent = parameters.filter((one) => one.parameter === parameter);
    if (sent.length === 0) return required ? [`${part} left out`] : [];
    return sent.flatMap(({ value }) => brokenBy(part, schema, value));
  });
  const isLacking = body === undefined && operation.body?.required === true;
  const ofBody = body === undefined ? [] : brokenBy('body', body.content.schema, body.value);
  const broken = new Set([...ofParameters, ...(isLacking ? ['body left out'] : []), ...ofBody]);
  const plain = { operation, parameters, body, ...rest };
  // A value that decides about an effect or a scope stays.
  const deciding = operation.extensions.byValue.map(({ at }) => evaluate(at, seenOf(plain)) ?? null);
  return JSON.stringify([validityOf(judge, plain, contract), deciding, ...[...broken].sort()]);
}
