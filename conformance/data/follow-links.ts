import { type Operation, responseFor } from '../contract/contract.ts';
import { evaluate } from '../contract/runtime-expression.ts';
import type { Known } from './records.ts';

/** Values by parameter name, without the `path.` or `query.` that a link may put before it. */
export type LinkedValues = Readonly<Record<string, unknown>>;

/** How many items of a list are tried where a link names its first. */
const mostItems = 6;

/** What the links of accepted answers say about an operation's parameters, the first item of a list before the others. */
export function followLinks(operation: Operation, known: readonly Known[]): LinkedValues[] {
  return known.flatMap(({ operation: producer, seen }) => {
    const response = seen.status === undefined ? undefined : responseFor(producer, seen.status);
    const links = response?.links.filter(({ to }) => to === operation.id) ?? [];
    return links.flatMap(({ parameters }) =>
      Array.from({ length: mostItems }, (_, item) => {
        const entries = Object.entries(parameters).map(
          ([name, expression]) =>
            [name.replace(/^(path|query|header|cookie)\./, ''), evaluate(atItem(expression, item), seen)] as const,
        );
        const isWhole = entries.every(([, value]) => value !== undefined && value !== '' && value !== null);
        return isWhole ? Object.fromEntries(entries) : undefined;
      }).filter((values) => values !== undefined),
    );
  });
}

/** `$response.body#/payload/0/id` for another item of the list. */
function atItem(expression: unknown, item: number): unknown {
  return typeof expression === 'string' && expression.startsWith('$response.body#')
    ? expression.replace(/\/0(?=\/|$)/, `/${item}`)
    : expression;
}
