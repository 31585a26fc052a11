import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatTable, replaceTable } from './format-table.ts';
import results from './results.gen.json' with { type: 'json' };
import { rows } from './rows.ts';
import type { Trial } from './try-client.ts';

// If this fails, the page states a result of a generator that the last run did not have.

test('the table of the page is that of the last run', () => {
  const page = readFileSync(new URL('../../docs/generated-clients.md', import.meta.url), 'utf8');
  expect(replaceTable(page, formatTable(rows, results as readonly Trial[]))).toBe(page);
});
