import type { NumberedExchange } from '../execute/exchange.ts';

/** One line for each request: the same for the same contract, seed, clock and server, whatever the number of workers. */
export function formatLogLine(
  { operation, phase, label, request }: NumberedExchange,
  redact: (text: string) => string,
): string {
  const headers = request.headers
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => `${name}: ${value}`);
  const body = request.body === undefined ? '' : ` ${request.body.toString()}`;
  return redact(`${operation.id} ${phase} (${label}) ${request.method} ${request.path} {${headers.join('; ')}}${body}`);
}
