import { expect, test } from 'vitest';
import { encodeBody } from './encode-body.ts';

test('no name of a contract breaks out of the element or the attribute that it names', () => {
  const attribute = { xml: { attribute: true } };
  const schema = { properties: { 'a="" b': attribute, '<c>': {}, d: attribute } };
  const written = encodeBody({}, schema, 'application/xml', { 'a="" b': '1"', '<c>': '<', d: 2 });
  expect(written).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<root _a____b="1&quot;" d="2"><__c_>&lt;</__c_></root>',
  );
});
