import { expect, test } from 'vitest';
import { findRunner } from './new-project.ts';

test.each([
  { agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false', version: '20.20.2' },
  { agent: 'npm/10.9.0 node/v24.17.9 linux x64', version: '24.17.9' },
  { agent: 'pnpm/10.1.0 npm/? node/v22.12.0 darwin arm64', version: '22.12.0' },
  { agent: 'npm/11.19.1 node/v24.18.0 linux x64', version: undefined },
  { agent: 'npm/11.19.1 node/v26.1.0 linux x64', version: undefined },
  { agent: 'bun/1.3.0', version: undefined },
  { agent: undefined, version: undefined },
])('with $agent a new project has to be run on another Node than $version', ({ agent, version }) => {
  expect(findRunner(agent)).toEqual(version && { version, prefix: 'npx -y -p node@24' });
});
