/** The parts of an answer that a client relies on. */
const clientHeaders = ['content-type', 'content-length', 'cache-control', 'api-version'];

/** Of a service on the web, helmet's. */
const securityHeaders = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

export interface Ours {
  readonly url: string;
  readonly token: string;
  /** Whether the peer has to send our security headers too. */
  readonly hasOurDuties: boolean;
}

/**
 * Proves that a peer does the same work: a peer that sends less is faster for nothing.
 *
 * @throws Error where it answers with other bytes than ours, or without a header that a client relies on
 */
export async function requireSameAnswer(url: string, ours: Ours): Promise<void> {
  const [theirs, wanted] = [await readAnswer(url, ours.token), await readAnswer(ours.url, ours.token)];
  if (theirs.body !== wanted.body)
    throw new Error(`${url} answers with other bytes than ours: ${describeDifference(theirs.body, wanted.body)}`);
  for (const name of [...clientHeaders, ...(ours.hasOurDuties ? securityHeaders : [])]) {
    const [value, want] = [theirs.headers.get(name), wanted.headers.get(name)];
    if (value !== want) throw new Error(`${url} answers with ${name}: ${value}, ours with ${want}`);
  }
  if (!theirs.headers.has('x-request-id')) throw new Error(`${url} answers without an X-Request-Id`);
}

/**
 * A cursor is sealed with a new nonce each time: its characters are masked, its length stays. For JSON, `charset=utf-8` has no meaning
 * (RFC 8259, 11): it is left out.
 */
export async function readAnswer(url: string, token: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answers with ${response.status}: ${text.slice(0, 200)}`);
  const headers = new Headers(response.headers);
  headers.set('content-type', (headers.get('content-type') ?? '').replace(/; *charset=utf-8$/, ''));
  const [, cursor = ''] = /"nextCursor":"([^"]*)"/.exec(text) ?? [];
  const body = cursor === '' ? text : text.replace(cursor, '*'.repeat(cursor.length));
  return { body, headers, cursorLength: cursor.length };
}

function describeDifference(theirs: string, ours: string): string {
  let at = 0;
  while (at < ours.length && theirs[at] === ours[at]) at += 1;
  const from = Math.max(0, at - 20);
  return `from character ${at} on …${theirs.slice(from, at + 40)}… where ours is …${ours.slice(from, at + 40)}…`;
}
