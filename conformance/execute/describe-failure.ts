import type { NoAnswer } from './exchange.ts';

type Described = Pick<NoAnswer, 'reason' | 'says'>;

const byCode: Readonly<Record<string, Described>> = {
  ECONNREFUSED: { reason: 'refused', says: 'nothing listens there' },
  EHOSTUNREACH: { reason: 'refused', says: 'the host cannot be reached' },
  ENETUNREACH: { reason: 'refused', says: 'the network cannot be reached' },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'refused', says: 'no connection in time' },
  ENOTFOUND: { reason: 'unresolved', says: 'no host of that name' },
  EAI_AGAIN: { reason: 'unresolved', says: 'the name cannot be resolved now' },
  UND_ERR_HEADERS_TIMEOUT: { reason: 'timeout', says: 'no answer in time' },
  UND_ERR_BODY_TIMEOUT: { reason: 'timeout', says: 'the body stopped in the middle' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { reason: 'truncated', says: 'the body is not as long as Content-Length says' },
  UND_ERR_HEADERS_OVERFLOW: { reason: 'malformed', says: 'the headers are larger than 16 KiB' },
};

/** What went wrong, from the error that undici gives; `hasHeaders`: the answer had begun. */
export function describeFailure(error: unknown, hasHeaders: boolean): Described {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const known = byCode[code];
    if (known !== undefined) return known;
    if (code.startsWith('HPE_') || cause.name === 'HTTPParserError')
      return { reason: 'malformed', says: `not HTTP: ${cause.message}` };
    if (/certificate|CERT|SSL|TLS/.test(`${code} ${cause.message}`)) return { reason: 'refused', says: cause.message };
  }
  if (hasHeaders) return { reason: 'truncated', says: 'the connection closed in the middle of the body' };
  return { reason: 'reset', says: 'the connection closed without an answer' };
}
