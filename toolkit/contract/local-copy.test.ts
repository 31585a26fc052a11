import { expect, test } from 'vitest';
import type { ContractError } from './contract-error.ts';
import { refuseLeadingOut } from './local-copy.ts';

const address = 'https://contracts.example/a.json';

/** The refusals of a fetched document with this component. */
function refusedIn(components: object, externalValues = true): readonly string[] {
  const value = { openapi: '3.1.1', components };
  try {
    refuseLeadingOut(address, { text: JSON.stringify(value), value, externalValues });
    return [];
  } catch (error) {
    return (error as ContractError).problems.map(({ pointer }) => pointer);
  }
}

const example = (externalValue: string) => ({ examples: { One: { externalValue } } });
const mapped = (target: string) => ({
  schemas: { Pet: { discriminator: { propertyName: 'kind', mapping: { cat: target } } } },
});

test.each([
  { name: 'a reference into itself', components: { schemas: { A: { $ref: '#/components/schemas/B' } } }, leads: false },
  { name: 'a reference to a file', components: { schemas: { A: { $ref: 'b.json' } } }, leads: true },
  { name: 'a reference to an address', components: { schemas: { A: { $ref: 'https://b.example/' } } }, leads: true },
  { name: 'an external value in a file', components: example('/etc/hostname'), leads: true },
  { name: 'an external value within', components: example('#/components'), leads: false },
  // The reader of addresses refuses it by a separate rule, whose message names the network.
  { name: 'an external value at an address', components: example('https://b.example/one'), leads: false },
  { name: 'a mapping to the name of a schema', components: mapped('Cat'), leads: false },
  { name: 'a mapping to a file', components: mapped('../cat.json'), leads: true },
])('$name leads out of what was fetched: $leads', ({ components, leads }) => {
  expect(refusedIn(components)).toHaveLength(leads ? 1 : 0);
});

test('an external value that nobody follows is let be', () => {
  expect(refusedIn(example('/etc/hostname'), false)).toEqual([]);
});
