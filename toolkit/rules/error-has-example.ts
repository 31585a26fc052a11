import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';
import { schemaParts } from './reading/schema-parts.ts';

/**
 * A response with `x-error-codes` shows each code in an example by the name of the code, in the order of the codes, and no
 * example shows another one.
 *
 * The code is read from the member that the response's schema marks `x-fault: code`, so that no name is built in.
 * The error catalogue, the mock and the documentation all take their texts from these examples.
 */
export const errorHasExample: Oas3Rule = () => ({
  Response(response, { report, location, resolve }) {
    const codes = isObject(response) ? response['x-error-codes'] : undefined;
    if (!Array.isArray(codes)) return;
    const shown = new Set<unknown>();
    let isMarked = false;
    for (const [mediaType, media] of entriesOf(response.content)) {
      const member = isObject(media) ? codeMember(media.schema, resolve) : undefined;
      // A page for browsers shows the same in prose.
      if (!isObject(media) || member === undefined) continue;
      isMarked = true;
      const examples = entriesOf(media.examples).map(([name, one]) => ({
        name,
        code: exampleCode(one, member, resolve),
      }));
      const place = location.child(['content', mediaType, 'examples']);
      for (const { name, code } of examples) {
        shown.add(code);
        const fault = exampleFault(name, member, code, codes);
        if (fault !== undefined) report({ ...fault, location: place.child(name).key() });
      }
      const names = examples.map(({ name }) => name);
      const inOrder = codes.filter((code) => names.includes(code));
      if (names.filter((name) => codes.includes(name)).every((name, index) => name === inOrder[index])) continue;
      report({
        message: `The examples are in the order ${names.join(', ')}, the codes in the order ${codes.join(', ')}.`,
        suggest: ['Put both in the same order, the most frequent fault first: tools answer with the first example.'],
        location: place.key(),
      });
    }
    if (!isMarked) {
      report({
        message: 'The response lists x-error-codes, but its schema marks no member as the code.',
        suggest: ['Add x-fault: code to the property that carries the code.'],
        location: location.child('x-error-codes').key(),
      });
      return;
    }
    for (const [index, code] of codes.entries()) {
      if (shown.has(code)) continue;
      report({
        message: `No example shows the code ${JSON.stringify(code)}.`,
        suggest: ['Add a named example whose value has this code, or remove the code from x-error-codes.'],
        location: location.child(['x-error-codes', index]),
      });
    }
  },
});

function exampleFault(name: string, member: string, code: unknown, codes: readonly unknown[]) {
  const message = `The example ${name} shows the ${member} ${JSON.stringify(code)}`;
  if (!codes.includes(code)) {
    const fix = 'Add the code to x-error-codes, or give the example one that is listed.';
    return { message: `${message}, which x-error-codes does not list.`, suggest: [fix] };
  }
  if (code === name) return undefined;
  return { message: `${message}, but has another name.`, suggest: ['Name the example after the code that it shows.'] };
}

function codeMember(schema: unknown, resolve: Resolve): string | undefined {
  for (const part of schemaParts(schema, resolve)) {
    for (const [name, property] of entriesOf(part.schema.properties)) {
      const { value } = dereference(property, resolve, part.from);
      if (isObject(value) && value['x-fault'] === 'code') return name;
      if (isObject(property) && property['x-fault'] === 'code') return name;
    }
  }
  return undefined;
}

function exampleCode(example: unknown, member: string, resolve: Resolve): unknown {
  const { value } = dereference(example, resolve);
  const body = isObject(value) ? value.value : undefined;
  return isObject(body) ? body[member] : undefined;
}
