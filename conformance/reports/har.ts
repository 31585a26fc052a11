import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { printableJson } from '../contract/printable.ts';
import {
  type Answer,
  headerOf,
  type NoAnswer,
  type NumberedExchange,
  type OutgoingRequest,
} from '../execute/exchange.ts';
import type { Redactor } from '../failures/redact.ts';
import { isCredential } from '../failures/shown-exchange.ts';
import { version } from '../version.ts';

type Redaction = Pick<Redactor, 'redact' | 'headerText'>;

/** Content of more bytes is omitted: readers of HAR load the whole file. */
const mostBodyBytes = 1024 * 1024;

/**
 * An HTTP Archive of a run (HAR 1.2), written exchange by exchange, so that memory does not grow with the number of requests. Members
 * whose names begin with an underscore are additions, which the format allows.
 *
 * @param write appends text to the file
 * @param beganAt start of the run, in milliseconds since 1970
 */
export function createHar(write: (text: string) => void, beganAt: number) {
  const creator = JSON.stringify({ name: 'lockstep-conform', version });
  const head = `{"log":{"version":"1.2","creator":${creator},"entries":[\n`;
  let before = head;
  return {
    add: (exchange: NumberedExchange, redaction: Redaction): void => {
      write(`${before}${printableJson(entryOf(exchange, redaction, beganAt))}`);
      before = ',\n';
    },
    end: (): void => write(`${before === head ? head : ''}\n]}}\n`),
  };
}

/** An entry. Milliseconds are those between the start of the request and the end of the content: the run measures no parts. */
function entryOf(exchange: NumberedExchange, redaction: Redaction, beganAt: number) {
  const { operation, intent, request, outcome, number, atMs } = exchange;
  const time = outcome.durationMs;
  // Over TLS the server chooses the version, and the run does not see which.
  const httpVersion = request.base.startsWith('https:') ? 'unknown' : 'HTTP/1.1';
  return {
    startedDateTime: new Date(beganAt + atMs - time).toISOString(),
    time,
    request: { httpVersion, ...describeRequest(request, redaction) },
    response: { httpVersion, ...describeResponse(outcome, redaction) },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _number: number,
    _operation: operation.id,
    _phase: intent.phase,
    _label: intent.label,
    _polarity: intent.polarity,
  };
}

function describeRequest({ method, base, path, headers, body }: OutgoingRequest, redaction: Redaction) {
  const { redact } = redaction;
  const [, query = ''] = /\?([^#]*)/.exec(path) ?? [];
  const { encoding, ...content } = body === undefined ? {} : textOf(body, redact);
  return {
    ...unmeasured,
    method,
    url: redact(`${base}${path}`),
    headers: headers.map(([name, value]) => ({
      name,
      value: isCredential.test(name) ? '***' : redaction.headerText(name, value),
    })),
    queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value: redact(value) })),
    bodySize: body?.length ?? 0,
    ...(body !== undefined && {
      // The format has an encoding for answers only.
      postData: {
        mimeType: headerOf({ headers }, 'content-type') ?? '',
        ...content,
        ...(encoding && { _encoding: encoding }),
      },
    }),
  };
}

function describeResponse(outcome: Answer | NoAnswer, { redact }: Redaction) {
  if (outcome.kind === 'none') {
    const content = { size: 0, mimeType: 'x-unknown' };
    return {
      ...unmeasured,
      ...{ status: 0, statusText: '', headers: [], redirectURL: '', bodySize: -1, content },
      _error: redact(outcome.message),
    };
  }
  const { status, headers, body } = outcome;
  return {
    ...unmeasured,
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: headers.map(([name, value]) => ({ name, value: isCredential.test(name) ? '***' : redact(value) })),
    redirectURL: redact(headerOf(outcome, 'location') ?? ''),
    bodySize: -1,
    content: {
      size: body.length,
      mimeType: headerOf(outcome, 'content-type') ?? 'x-unknown',
      ...textOf(body, redact),
      ...(outcome.isCut === true && { comment: 'Only the beginning: the content may never end.' }),
    },
  };
}

/** Members of request and response. The run knows no sizes on the wire, and cookies are credentials. */
const unmeasured = { cookies: [], headersSize: -1 } as const;

function textOf(
  body: Buffer,
  redact: (text: string) => string,
): { readonly text?: string; readonly encoding?: 'base64'; readonly comment?: string } {
  // Redaction comes before any cut: a part of a secret would not be recognised.
  if (body.length > mostBodyBytes) return { comment: 'Content over 1 MiB is omitted.' };
  if (isUtf8(body)) return { text: redact(body.toString()) };
  const redacted = redact(body.toString('latin1'));
  return { text: Buffer.from(redacted, 'latin1').toString('base64'), encoding: 'base64' };
}
