// node bench/clients/main.ts [NAME...]: tries the clients that generators make of the published contract on the sandbox, and writes what came
// of it to results.gen.json and into the table of docs/generated-clients.md. Names are those of rows.ts; with names, nothing is written.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMock } from '../../mock/index.ts';
import { formatTable, replaceTable } from './format-table.ts';
import { rows } from './rows.ts';
import { chooseWindow, readExpected, type Trial, tryClient, writeSpec } from './try-client.ts';

const root = join(import.meta.dirname, '../..');
const names = process.argv.slice(2);
const chosen = rows.filter(({ name }) => names.length === 0 || names.includes(name));

await using sandbox = await startMock();
const target = {
  ...{ baseUrl: sandbox.baseUrl, token: await sandbox.token(), spec: await writeSpec() },
  ...chooseWindow(Date.now()),
};
const expected = await readExpected(target);
const trials: Trial[] = [];
for (const row of chosen) {
  const { fault, ...trial } = await tryClient(row, target, expected);
  const { generated, compiled, calls } = trial;
  console.log(`${row.name}: generated ${generated}, compiled ${compiled}, read ${calls?.join(', ')}`);
  if (fault !== undefined) console.log(fault.replaceAll(/^/gm, '  '));
  trials.push(trial);
}
if (names.length === 0) {
  const page = join(root, 'docs/generated-clients.md');
  await writeFile(join(import.meta.dirname, 'results.gen.json'), `${JSON.stringify(trials, null, 2)}\n`);
  await writeFile(page, replaceTable(await readFile(page, 'utf8'), formatTable(rows, trials)));
}
