// Set up before the browser lane: one browser for all its pages, and one build of our reference that they read.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildDocs, ownDocs } from '../docs/build-docs.ts';
import { findBrowser } from '../docs/find-browser.ts';
import { launchBrowser } from '../docs/watch-page.ts';

const root = join(import.meta.dirname, '..');

/** Without a browser nothing is set up: each file of the lane reports that itself, and fails in CI. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const found = findBrowser(process.env);
  if (found.kind === 'missing') return undefined;
  // Built anew for each run: an older folder would hide a fault in code that its key leaves out.
  const out = await mkdtemp(join(tmpdir(), 'own-docs-'));
  const pages = ownDocs.pages.map((page) => join(root, page));
  const [browser] = await Promise.all([
    launchBrowser(found.path),
    buildDocs({ contract: join(root, ownDocs.contract), pages, out }),
  ]);
  provide('browserAddress', browser.wsEndpoint());
  provide('ownDocs', out);
  return async () => {
    await browser.close();
    await rm(out, { recursive: true });
  };
}
