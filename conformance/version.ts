import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memberOf } from './contract/document.ts';

/** Version of the runner. */
export const version = String(
  memberOf(JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')), 'version'),
);
