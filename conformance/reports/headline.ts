// The headline of a finding: what was expected and what came, and the exchanges whose content it names.
import type { Finding } from '../failures/finding.ts';
import type { ShownExchange } from '../failures/shown-exchange.ts';

export interface Headline {
  readonly expected: string;
  readonly got: string;
  /** Whether these are statuses of the judged answer. */
  readonly isStatus: boolean;
}

type Given = Pick<Finding, 'check' | 'keyword' | 'place' | 'message' | 'exchanges'>;

/** Statuses by check, or by check and keyword: the expected one, and those that a finding is about. */
const statuses: Readonly<Record<string, readonly [expected: string, wrong: RegExp]>> = {
  'server-error': ['below 500', /^5/],
  'auth-missing': ['401', /^[23]/],
  'auth-invalid': ['401', /^[23]/],
  'scope-ignored': ['403', /^[23]/],
  'auth-valid-refused': ['2xx', /^4/],
  'tenant-leak': ['403 or 404', /^[23]/],
  'existence-leak': ['401', /^4(04|10)/],
  'required-ignored': ['4xx', /^[23]/],
  'invalid-accepted': ['4xx', /^[23]/],
  'valid-refused': ['2xx', /^4/],
  'conditional lost-update': ['412', /^2/],
  'conditional stale-304': ['200', /^304/],
};

/** Messages that name both values. */
const comparisons: readonly RegExp[] = [
  /^\S+ was sent as (?<expected>.+) and accepted, and a read shows (?<got>.+?)(?: as before)?$/,
  /^(?<expected>.+) was accepted and came back as (?<got>.+?), with /,
  /^the answer shows .+? as (?<expected>.+), and the next read as (?<got>.+)$/,
  / shows? (?:\S+ as )?(?<got>.+) in place of (?<expected>.+)$/,
  / has changed \S+(?: of another object)? from (?<expected>.+) to (?<got>.+)$/,
  /^(?<got>\d{3}) is not documented; listed: (?<expected>[^;]+)/,
  /^[\w-]+: (?<got>.+?) must (?:be )?(?<expected>.+)$/,
];

/** Undefined for a finding that compares neither statuses nor values. */
export function headlineOf({ check, keyword, message, place, exchanges }: Given): Headline | undefined {
  const judged = exchanges.find(({ isJudged }) => isJudged);
  for (const pattern of comparisons) {
    const { expected, got } = pattern.exec(message)?.groups ?? {};
    if (expected !== undefined && got !== undefined)
      return { expected, got, isStatus: check === 'status-undocumented' };
  }
  const [, rule] = /^must be (.+)$/.exec(message) ?? [];
  const got = rule !== undefined && place.startsWith('response') ? markedValue(judged) : undefined;
  if (rule !== undefined && got !== undefined) return { expected: rule, got, isStatus: false };
  const [expected, wrong] = statuses[`${check} ${keyword}`] ?? statuses[check] ?? [];
  const status = String(judged?.answer.status);
  return expected !== undefined && wrong?.test(status) ? { expected, got: status, isStatus: true } : undefined;
}

/** The value at the place of the finding if it is on one line. */
function markedValue(exchange: ShownExchange | undefined): string | undefined {
  const { lines = [], marked } = exchange?.answer.body ?? {};
  if (marked === undefined || marked[0] !== marked[1]) return undefined;
  return lines[marked[0]]
    ?.trim()
    .replace(/^"[^"]*": /, '')
    .replace(/,$/, '');
}

/** An exchange with the parts of it that a reader compares. */
export interface Evidence {
  /** Whether its content is shown at once. */
  readonly isOpen: boolean;
  /** Headers with the tags that are compared, in lower case. */
  readonly tags: readonly string[];
}

/** Roles of exchanges that a message names without a number. */
const named: readonly (readonly [message: RegExp, role: RegExp])[] = [
  [/its own list/, /^(own|second) list$/],
  [/before and after/, /^control$/],
  [/a known one|an unknown id/, /^(un)?known id$/],
];

/** The exchanges of a finding: the judged one is open, and those that its message names. */
export function evidenceOf({ keyword, message, exchanges }: Given): readonly Evidence[] {
  const at = exchanges.findIndex(({ isJudged }) => isJudged);
  const [, sent] = exchanges[at]?.headers.find(([name]) => isCondition(name)) ?? [];
  const isAboutTags = /tag|304|lost-update|match|modified/.test(keyword);
  const isRead = ({ method }: ShownExchange): boolean => method === 'GET';
  const open = new Set([at]);
  const roles = named.filter(([pattern]) => pattern.test(message)).map(([, role]) => role);
  for (const [index, exchange] of exchanges.entries())
    if (
      roles.some((role) => role.test(exchange.role)) ||
      (isAboutTags && sent !== undefined && tagOf(exchange) === sent)
    )
      open.add(index);
  // The object as it was, and as it is after the judged request.
  const before = exchanges.findLastIndex((one, index) => index < at && isRead(one) && tagOf(one) !== undefined);
  if (isAboutTags) open.add(before);
  if (/ (read|shows?) /.test(message)) open.add(exchanges.findIndex((one, index) => index > at && isRead(one)));
  return exchanges.map((exchange, index) => ({
    isOpen: open.has(index),
    tags: isAboutTags && open.has(index) ? ['etag', ...exchange.headers.map(([name]) => name).filter(isCondition)] : [],
  }));
}

function isCondition(name: string): boolean {
  return /^if-(none-)?match$/i.test(name);
}

function tagOf({ answer }: ShownExchange): string | undefined {
  return answer.headers.find(([name]) => name.toLowerCase() === 'etag')?.[1];
}
