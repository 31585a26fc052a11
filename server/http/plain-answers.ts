import type { Logger } from 'pino';
import { refuse } from '../error-catalogue.ts';
import type { Answer } from './exchange.ts';

/** An address outside the contract with a small JSON answer. */
export interface PlainAnswer {
  readonly path: string;
  /** Name in the log. */
  readonly mount: string;
  readonly answer: () => Answer | Promise<Answer>;
}

const methods = ['GET', 'HEAD'];

/** `/healthz` for whoever watches the process, and `/` for whoever opens it in a browser. */
export function createPlainAnswers(
  ping: () => Promise<void>,
  addresses: Readonly<Record<string, string>>,
  logger: Pick<Logger, 'warn'>,
): readonly PlainAnswer[] {
  return [
    { path: '/', mount: 'root', answer: () => ({ status: 200, body: addresses }) },
    { path: '/healthz', mount: 'health', answer: () => answerHealth(ping, logger) },
  ];
}

/** Answers one of them, or 405 for a method that it doesn't have. */
export function answerPlain(method: string, { answer }: PlainAnswer): Answer | Promise<Answer> {
  if (methods.includes(method)) return answer();
  const text = `${method} is not allowed here, use ${methods.join(' or ')}`;
  return refuse('method_not_allowed', { text, headers: { Allow: methods.join(', ') } });
}

async function answerHealth(ping: () => Promise<void>, logger: Pick<Logger, 'warn'>): Promise<Answer> {
  try {
    await ping();
    return { status: 200, body: { status: 'ok' } };
  } catch (error) {
    logger.warn({ err: error }, 'the store does not answer');
    return { status: 503, body: { status: 'unavailable' } };
  }
}
