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

// RFC 9110, 8.3.1: type and subtype are case-insensitive.
test.each([
  { mediaType: 'Application/X-WWW-Form-URLEncoded; charset=utf-8', value: { a: 1, b: 'c d' }, want: 'a=1&b=c+d' },
  { mediaType: 'IMAGE/PNG', value: 'no picture', want: expect.any(Buffer) },
  { mediaType: 'Application/JSON', value: { a: 1 }, want: { a: 1 } },
  { mediaType: 'Text/XML', value: 1, want: '<?xml version="1.0" encoding="UTF-8"?>\n<root>1</root>' },
])('$mediaType is written as it is in lower case', ({ mediaType, value, want }) => {
  expect(encodeBody({}, {}, mediaType, value)).toEqual(want);
  expect(encodeBody({}, {}, mediaType.toLowerCase(), value)).toEqual(want);
});
