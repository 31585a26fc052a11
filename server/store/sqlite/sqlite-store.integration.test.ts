import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeSuite } from '../suite/store-suite.ts';
import { openSqliteStore } from './open-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

// A store in memory, opened from an image, runs the suite at every change: store-image.test.ts.
storeSuite('SQLite in memory', () => openSqliteStore(':memory:'), { tags: ['full'] });
storeSuite('SQLite in a file', () => openSqliteStore(join(folder, 'service.sqlite')));
