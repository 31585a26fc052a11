import { describe, expect, test } from 'vitest';
import { showExtension, showReferenceExtension } from './show-extension.ts';

const badge = { name: 'Extension', color: 'purple', position: 'after' };

const table = [
  { name: 'leaves what is not an extension', type: 'Operation', given: { summary: 's' }, want: { summary: 's' } },
  {
    name: 'leaves a node with x-extension: false',
    type: 'Response',
    given: { 'x-extension': false, description: 'd' },
    want: { 'x-extension': false, description: 'd' },
  },
  ...['Operation', 'Parameter', 'Schema'].map((type) => ({
    name: `gives a badge to ${type}`,
    type,
    given: { 'x-extension': true },
    want: { 'x-extension': true, 'x-badges': [badge] },
  })),
  {
    name: 'keeps other badges',
    type: 'Operation',
    given: { 'x-extension': true, 'x-badges': [{ name: 'Beta' }] },
    want: { 'x-extension': true, 'x-badges': [{ name: 'Beta' }, badge] },
  },
  {
    name: 'marks the description of anything else',
    type: 'Response',
    given: { 'x-extension': true, description: 'Busy' },
    want: { 'x-extension': true, description: '**Extension.** Busy' },
  },
  {
    name: 'marks what has no description',
    type: 'Header',
    given: { 'x-extension': true },
    want: { 'x-extension': true, description: '**Extension.**' },
  },
  ...['ImplicitFlow', 'PasswordFlow', 'ClientCredentials', 'AuthorizationCode'].map((type) => ({
    name: `leaves ${type}, which cannot have a description`,
    type,
    given: { 'x-extension': true, tokenUrl: 'https://auth.example/token' },
    want: { 'x-extension': true, tokenUrl: 'https://auth.example/token' },
  })),
];

describe('showExtension', () => {
  for (const { name, type, given, want } of table) {
    test(name, () => {
      const node = structuredClone(given);
      showExtension(node, type);
      expect(node).toEqual(want);
    });
  }
});

describe('showReferenceExtension', () => {
  test('puts a marked reference to a schema under allOf', () => {
    const node = { $ref: '#/a', 'x-extension': true, description: 'd' };
    showReferenceExtension(node, 'Schema');
    expect(node).toEqual({ 'x-extension': true, description: 'd', allOf: [{ $ref: '#/a' }], 'x-badges': [badge] });
  });

  test('leaves other references', () => {
    const node = { $ref: '#/a' };
    showReferenceExtension(node, 'Schema');
    expect(node).toEqual({ $ref: '#/a' });
  });
});
