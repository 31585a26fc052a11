import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A form that can harm neither a log line nor a header. */
const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own id where it has that form, else a new one. */
export function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomUUID();
}
