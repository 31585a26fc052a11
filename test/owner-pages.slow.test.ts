// The pages for account owners at every width in every scheme; `npm test` takes each width with one scheme.
import { afterAll, beforeAll, describe } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { judgePages, type OwnerPages, startOwnerPages } from './fixtures/owner-pages.ts';

const found = findBrowser(process.env);
if (found.kind === 'missing' && process.env.CI) throw new Error(found.reason);
if (found.kind === 'missing')
  process.stderr.write(`The pages for account owners were not looked at. ${found.reason}\n`);

describe.skipIf(found.kind === 'missing')('the pages for account owners, on every screen', () => {
  let pages: OwnerPages;
  beforeAll(async () => {
    pages = await startOwnerPages();
  });
  afterAll(() => pages?.close());

  judgePages(
    () => pages,
    [390, 1400].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
  );
});
