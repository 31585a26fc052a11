import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { oncePerDocument } from './once-per-document.ts';
import { createSchemaCompiler } from './validation/compile-schema.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('the value of a document is shared, but not with equal documents', () => {
  const make = oncePerDocument((document) => ({ names: Object.keys(document) }));
  const [document, equal] = [{ openapi: '3.1.0' }, { openapi: '3.1.0' }];
  expect(make(document)).toBe(make(document));
  expect(make(equal)).not.toBe(make(document));
});

test('what was undefined is not made again, what was thrown is', () => {
  let asked = 0;
  const make = oncePerDocument(({ isGood }) => {
    asked += 1;
    if (isGood !== true) throw new Error(`${asked}`);
  });
  const good = { isGood: true };
  expect([make(good), make(good), asked]).toEqual([undefined, undefined, 1]);
  const bad = {};
  expect(() => make(bad)).toThrow('2');
  expect(() => make(bad)).toThrow('3');
});

test('the checks of an unreferenced contract are released with it', async () => {
  const gone = useAndDrop();
  for (let turn = 0; turn < 10 && gone.deref() !== undefined; turn += 1) {
    // `deref` keeps its target until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(gone.deref()).toBeUndefined();
});

/** A separate function, so that no variable of the test references the document. */
function useAndDrop(): WeakRef<object> {
  const document = { components: { schemas: { Name: { type: 'string' } } } };
  expect(createSchemaCompiler(document)({ $ref: '#/components/schemas/Name' })(7)).toHaveLength(1);
  return new WeakRef(document);
}
