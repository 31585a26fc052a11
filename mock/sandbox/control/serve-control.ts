import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import service from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations as serviceOperations } from '@lockstep/contract/operations';
import type { GuardOptions } from '../../control/guard.ts';
import { readPage } from '../../control/pages/read-page.ts';
import { basePath, type Own, type ControlOptions as ServeOptions, serveControl } from '../../control/serve-control.ts';
import type { Sandbox } from '../sandbox.ts';
import { createSandboxHandlers, type NamedScenario } from './answer-control.ts';
import contract from './generated/contract.gen.json' with { type: 'json' };
import { operations } from './generated/operations.gen.ts';

export interface ControlOptions extends GuardOptions, Pick<ServeOptions, 'logger' | 'checkResponses'> {
  /** Every scenario that has a name, in the order of display. */
  readonly scenarios: readonly NamedScenario[];
}

const ownPaths: Readonly<Record<string, () => Own>> = {
  [basePath]: () => servePage('control'),
  [`${basePath}/`]: () => servePage('control'),
  [`${basePath}/keypad`]: () => servePage('keypad'),
  [`${basePath}/openapi.json`]: () => ({
    headers: { 'Content-Type': 'application/json' },
    content: readFileSync(new URL('./generated/published.gen.json', import.meta.url)),
  }),
};

function servePage(name: 'control' | 'keypad'): Own {
  const file = new URL(`./pages/${name}.html`, import.meta.url);
  return readPage({ file, operationIds: Object.keys(serviceOperations), title: service.info.title });
}

/** Answers requests for the control of a sandbox. */
export function createControl(sandbox: Sandbox, { scenarios, ...options }: ControlOptions): RequestListener {
  return serveControl({
    ...options,
    contract,
    operations,
    handlers: () => createSandboxHandlers(sandbox, scenarios) as unknown as ReturnType<ServeOptions['handlers']>,
    ownPaths,
  });
}
