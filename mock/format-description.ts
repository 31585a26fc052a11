import type { MockDescription } from './describe-mock.ts';

/** A description as lines for a terminal. @param access lines about clients and owners */
export function formatDescription(
  { origin, title, addresses, notes, samples }: MockDescription,
  access: readonly string[] = [],
): string[] {
  return [
    `Mock of ${title} on ${origin}`,
    ...addresses.map(
      ({ url, operations }) => `  ${url}  ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ),
    ...access,
    '',
    ...notes.map((note) => `- ${note}`),
    ...samples.flatMap(({ shows, command }) => ['', `# ${shows}`, command]),
  ];
}
