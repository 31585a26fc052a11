import { median, type Result } from './question.ts';

/** The answer as a table for people: a line for each row, each ratio, and what and where it was measured. */
export function formatResult({ rows, ratios, versions, machine }: Result): string {
  const width = Math.max(...[...rows, ...ratios].map(({ name }) => name.length));
  const lines = [
    ...rows.map(({ name, milliseconds }) => {
      const rounds = milliseconds.map((value) => value.toFixed(0)).join(' ');
      return `${name.padEnd(width)}  ${median(milliseconds).toFixed(0).padStart(6)} ms  (${rounds})`;
    }),
    ...ratios.map(({ name, ratio, target }) => {
      const wanted = target === undefined ? '' : `, target at most ${target.toFixed(2)}`;
      return `${name.padEnd(width)}  ratio ${ratio.toFixed(2)}${wanted}`;
    }),
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    machine,
  ];
  return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
