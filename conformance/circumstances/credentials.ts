import type { Operation } from '../contract/contract.ts';
import { isObject, parseJson } from '../contract/document.ts';
import type { Answer, NoAnswer, OutgoingRequest } from '../execute/exchange.ts';
import type { CredentialWatch } from '../execute/session.ts';

type Outcome = Answer | NoAnswer | undefined;

interface Wiring {
  readonly send: (operation: Operation, request: OutgoingRequest) => Promise<Outcome>;
  readonly keepSecret: (text: string) => void;
}

interface Write {
  readonly operation: Operation;
  readonly offers: readonly string[];
}

/** Limits of recent writes, and of secrets from one answer. */
const most = { writes: 4, offers: 6 } as const;

/** Shorter secrets are not replaced: they may occur elsewhere by chance. */
const leastLength = 8;

/**
 * Notices when the deployment stops accepting the run's credentials, and replaces them by a secret from a recent answer.
 *
 * @param onLost called once if no replacement works
 */
export function watchCredentials(
  { send, keepSecret }: Wiring,
  onLost: (message: string, fix: string) => void,
): CredentialWatch {
  /** The replacement of each expired secret. */
  let replaced: ReadonlyMap<string, string> = new Map();
  /** The replacements with which a request was sent. */
  const sentWith = new WeakMap<OutgoingRequest, typeof replaced>();
  /** Accepted reads, by the secrets that they carried. */
  const reads = new Map<string, { readonly operation: Operation; readonly request: OutgoingRequest }>();
  let writes: Write[] = [];
  /** Whether no request was accepted since the credentials were last checked. */
  let isChecked = true;
  let isLost = false;
  let turn: Promise<unknown> = Promise.resolve();

  const current = (request: OutgoingRequest): OutgoingRequest => {
    const changed = swap(request, replaced);
    sentWith.set(changed, replaced);
    return changed;
  };

  const isAccepted = (outcome: Outcome): boolean =>
    outcome?.kind === 'answer' && outcome.status >= 200 && outcome.status < 300;

  const check: CredentialWatch['check'] = async (secrets, sent) => {
    if (secrets.length === 0) return 'kept';
    if (isLost) return 'lost';
    // The secrets were replaced since the request was sent.
    if (sentWith.get(sent) !== replaced) return 'renewed';
    const known = reads.get(keyOf(secrets));
    if (isChecked || known === undefined) return 'kept';
    const { operation, request } = known;
    const probe = await send(operation, current(request));
    if (probe?.kind !== 'answer' || probe.status !== 401) {
      isChecked = probe?.kind === 'answer';
      return 'kept';
    }
    for (const { offers } of writes) {
      for (const offer of offers) {
        for (const secret of secrets.filter((one) => isAlike(one, offer))) {
          const tried = new Map([...replaced, [secret, offer]]);
          keepSecret(offer);
          if (isAccepted(await send(operation, swap(request, tried)))) {
            replaced = tried;
            isChecked = true;
            return 'renewed';
          }
        }
      }
    }
    isLost = true;
    const [last] = writes;
    const message = 'The deployment no longer accepts the credentials of the run';
    if (last === undefined)
      onLost(`${message}.`, 'Pass a token that lasts for the run, or a client that fetches new ones.');
    else
      onLost(
        `${message} after ${last.operation.id} was accepted.`,
        'Exclude this operation with --exclude, and start a new run.',
      );
    return 'lost';
  };

  return {
    current,
    observe: (operation, request, secrets, outcome) => {
      if (secrets.length === 0 || outcome?.kind !== 'answer' || !isAccepted(outcome)) return;
      isChecked = false;
      if (operation.method === 'get') {
        if (!reads.has(keyOf(secrets)) && outcome.body.length < 10_000)
          reads.set(keyOf(secrets), { operation, request });
        return;
      }
      writes = [{ operation, offers: offersIn(outcome.body) }, ...writes].slice(0, most.writes);
    },
    check: (secrets, sent) => {
      const next = turn.then(() => check(secrets, sent));
      turn = next;
      return next;
    },
  };
}

function swap(request: OutgoingRequest, secrets: ReadonlyMap<string, string>): OutgoingRequest {
  const change = (text: string): string =>
    [...secrets].reduce((changed, [old, now]) => changed.replaceAll(old, () => now), text);
  return {
    ...request,
    path: change(request.path),
    headers: request.headers.map(([name, value]) => [name, change(value)]),
  };
}

function keyOf(secrets: readonly string[]): string {
  return secrets.join('\n');
}

/** Secrets in an answer, by the name of their member: `token`, `access_token`, `apiKey`. */
function offersIn(body: Buffer): string[] {
  if (body.length > 20_000) return [];
  const found: string[] = [];
  const walk = (value: unknown, name: string, depth: number): void => {
    if (depth > 5 || found.length >= most.offers) return;
    if (typeof value === 'string') {
      if (value.length >= leastLength && !/\s/.test(value) && /token|key|secret|jwt|bearer|password/i.test(name))
        found.push(value);
    } else if (Array.isArray(value)) for (const item of value.slice(0, 3)) walk(item, name, depth + 1);
    else if (isObject(value)) for (const [member, inner] of Object.entries(value)) walk(inner, member, depth + 1);
  };
  walk(parseJson(body.toString()), '', 0);
  return found;
}

/** Whether one secret may replace the other: similar length, and both hexadecimal or both not. */
function isAlike(a: string, b: string): boolean {
  if (a === b || a.length < leastLength) return false;
  const isHex = (text: string): boolean => /^[0-9a-f-]+$/i.test(text);
  const longer = Math.max(a.length, b.length);
  return isHex(a) === isHex(b) && Math.abs(a.length - b.length) <= longer / 4;
}
