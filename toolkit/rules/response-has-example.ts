import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule, UserContext } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';

/**
 * Every body, sent or answered, has named examples, and every response header has one.
 *
 * Without an example Prism answers `"string"` and `0` whatever the pattern, and leaves the header out.
 */
export const responseHasExample: Oas3Rule = () => ({
  RequestBody(body, context) {
    reportContent('request body', body.content, context);
  },
  Response(response, context) {
    reportContent('response', response.content, context);
    for (const [name, header] of entriesOf(response.headers)) {
      if (headerHasExample(header, context.resolve)) continue;
      context.report({
        message: `The response header ${name} has no example.`,
        suggest: ['Add an example, a value as it would be sent, to the header or to its schema.'],
        location: context.location.child(['headers', name]).key(),
      });
    }
  },
});

type Reporter = Pick<UserContext, 'report' | 'resolve'> & { readonly location: Location };

function reportContent(what: string, content: unknown, { report, location }: Reporter): void {
  for (const [mediaType, media] of entriesOf(content)) {
    if (!isObject(media) || entriesOf(media.examples).length > 0) continue;
    const place = location.child(['content', mediaType]);
    report({
      message: `The ${what} has no named example for ${mediaType}.`,
      suggest: [
        'example' in media
          ? 'Move the value of example to examples, under a name that describes it.'
          : 'Add examples, each with a descriptive name and a realistic value.',
      ],
      location: 'example' in media ? place.child('example').key() : place.key(),
    });
  }
}

function headerHasExample(header: unknown, resolve: Resolve): boolean {
  const { value, from } = dereference(header, resolve);
  if (!isObject(value)) return true;
  if ('example' in value || 'examples' in value) return true;
  const { value: schema } = dereference(value.schema, resolve, from);
  return isObject(schema) && ('example' in schema || 'examples' in schema);
}
