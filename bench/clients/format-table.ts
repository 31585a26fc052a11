import { basename } from 'node:path';
import type { Command, Row } from './rows.ts';
import { calls, type Trial } from './try-client.ts';

/** In Markdown: a table of how far each client came, and a list of how each is generated and given a token, with what was seen. */
export function formatTable(rows: readonly Row[], trials: readonly Trial[]): string {
  const lines = rows.map(({ name, generator }) => {
    const { generated, compiled, calls: read } = trials.find((trial) => trial.name === name) ?? { generated: false };
    const missing = calls.filter((call) => !read?.includes(call));
    const reads = read === undefined ? 'not run' : missing.length === 0 ? 'all' : `all but ${missing.join(', ')}`;
    const compiles = compiled === undefined ? 'not tried' : formatYes(compiled);
    return `| ${generator} | ${formatYes(generated)} | ${compiles} | ${reads} |`;
  });
  const ways = rows.map(
    ({ generator, generate, token, note }) =>
      `- ${generator}: \`${formatCommand(generate[0])}\`; ${token}${note === undefined ? '' : `. ${note}`}`,
  );
  return [
    '| generator | generates | compiles | reads |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
    'The list has the command that generates each client, and how the client gets its token.',
    '',
    ...ways,
  ].join('\n');
}

/** As a reader types it, who has the generator and the contract at hand. */
function formatCommand([program, ...args]: Command): string {
  return [basename(program), ...args.map((arg) => (arg === '$SPEC' ? 'openapi.json' : arg || "''"))].join(' ');
}

function formatYes(fact: boolean): string {
  return fact ? 'yes' : 'no';
}

/** The page with what stands under `## What was tried` replaced. */
export function replaceTable(page: string, table: string): string {
  return page.replace(/(?<=^## What was tried\n\n)[\s\S]*?(?=\n\n## )/m, () => table);
}
