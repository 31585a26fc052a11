import type { Row } from './rows.ts';
import { calls, type Trial } from './try-client.ts';

/** In Markdown: a table of how far each client came, and a list of how each is given a token, with what was seen. */
export function formatTable(rows: readonly Row[], trials: readonly Trial[]): string {
  const lines = rows.map(({ name, generator }) => {
    const { generated, compiled, calls: read } = trials.find((trial) => trial.name === name) ?? { generated: false };
    const missing = calls.filter((call) => !read?.includes(call));
    const reads = read === undefined ? 'not run' : missing.length === 0 ? 'all six' : `all but ${missing.join(', ')}`;
    const compiles = compiled === undefined ? 'not tried' : formatYes(compiled);
    return `| ${generator} | ${formatYes(generated)} | ${compiles} | ${reads} |`;
  });
  const ways = rows.map(
    ({ generator, token, note }) => `- ${generator}: ${token}${note === undefined ? '' : `. ${note}`}`,
  );
  return [
    '| generator | generates | compiles | reads |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
    'A token is passed in each as follows.',
    '',
    ...ways,
  ].join('\n');
}

function formatYes(fact: boolean): string {
  return fact ? 'yes' : 'no';
}

/** The page with what stands under `## What was tried` replaced. */
export function replaceTable(page: string, table: string): string {
  return page.replace(/(?<=^## What was tried\n\n)[\s\S]*?(?=\n\n## )/m, () => table);
}
