import { isJson, type MediaContent } from '../contract/contract.ts';
import { isObject, memberOf, type Pointer, parseJson } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';
import type { Judge } from '../schema/create-judge.ts';
import { splitText, together, type WireText } from './decode-text.ts';
import { type BodyFormat, encodeBody, formatOf, partsOfBody, textOf } from './encode-body.ts';
import { isComposite, polarityOfJson, polarityOfText } from './value-polarity.ts';

interface Given {
  readonly judge: Judge;
  readonly content: MediaContent;
  readonly schema: Pointer;
  readonly value: unknown;
  readonly required: boolean;
}

/**
 * The polarity of a body. Undescribed content is valid.
 *
 * @param required whether the operation requires a body: a form without a member is none
 */
export function polarityOfBody(judge: Judge, content: MediaContent, value: unknown, required: boolean): Polarity {
  const { schema } = content;
  return schema === undefined ? 'valid' : formats[formatOf(content)]({ judge, content, schema, value, required });
}

/** In a merge patch, null removes a member (RFC 7396, 2), so that servers treat it as absent whatever the schema of the member is. */
function polarityOfJsonBody({ judge, content, schema, value }: Given): Polarity {
  const polarity = polarityOfJson(judge, schema, value);
  if (polarity !== 'invalid' || !/^application\/merge-patch\+json\b/i.test(content.mediaType)) return polarity;
  return polarityOfJson(judge, schema, withoutNulls(value)) === 'invalid' ? 'invalid' : 'grey';
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([name, member]) => [name, withoutNulls(member)]));
}

/** A text in these formats may be the whole document. */
function polarityOfDocument({ judge, schema, value }: Given): Polarity {
  return typeof value === 'string' ? 'grey' : polarityOfJson(judge, schema, value);
}

const formats: Readonly<Record<BodyFormat, (given: Given) => Polarity>> = {
  json: polarityOfJsonBody,
  yaml: polarityOfDocument,
  lines: polarityOfDocument,
  form: (given) => polarityOfMembers(given, membersOfForm(given), given.required),
  // Many parsers reject a body without a part.
  multipart: (given) => polarityOfMembers(given, membersOfParts(given), true),
  xml: ({ judge, schema, value }) => {
    const text = Array.isArray(value) || String(value).startsWith('<') ? undefined : xmlText(value);
    return text === undefined ? 'grey' : polarityOfText(judge, schema, value, text);
  },
  text: ({ judge, schema, value }) =>
    isComposite(value) ? 'grey' : polarityOfText(judge, schema, value, [textOf(value)]),
  // Any bytes may stand for the value.
  bytes: ({ judge, schema, value }) => (judge.polarityOf(schema, value) === 'valid' ? 'valid' : 'grey'),
};

type Members = readonly (readonly [name: string, text: WireText])[];

function polarityOfMembers({ judge, schema, value }: Given, members: Members, isNeeded: boolean): Polarity {
  const polarity = polarityOfText(judge, schema, value, [{ members }]);
  return polarity === 'valid' && members.length === 0 && isNeeded ? 'grey' : polarity;
}

function membersOfForm({ judge, content, value }: Given): Members {
  const text = encodeBody(content, value, judge.forms.request).bytes.toString();
  const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
  const pairs = text === '' ? [] : text.split('&').map((pair) => pair.split('='));
  const byName = Map.groupBy(pairs, ([name = '']) => decode(name));
  return [...byName].map(([name, own]) => {
    const texts = own.map(([, part = '']) => part);
    const explode = memberOf(content.encoding[name], 'explode') !== false;
    const split = explode
      ? together(texts.map((part) => scalarOrJson(decode(part))))
      : splitText({ name, style: 'form', explode }, texts.join(','), decode);
    return [name, split];
  });
}

function membersOfParts({ judge, content, value }: Given): Members {
  const parts = partsOfBody(value, { content, form: judge.forms.request });
  return [...Map.groupBy(parts, ({ name }) => name)].map(([name, own]) => {
    const texts = own.map(({ value: part, type, isFile }): WireText => {
      if (isFile) return [{ json: textOf(part) }];
      return type !== undefined && isJson(type) && typeof part !== 'string'
        ? [{ json: part }]
        : scalarOrJson(textOf(part));
    });
    return [name, together(texts)];
  });
}

/** An object or a list within a form is written as JSON. */
function scalarOrJson(text: string): WireText {
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return json === undefined ? [text] : [text, { json }];
}

/** @returns undefined if readers of XML differ: an element without content may be a text, a list, an object or null */
function xmlText(value: unknown): WireText | undefined {
  if (!isComposite(value)) {
    const text = String(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0, 2.2 allows no others
    return text === '' || text !== text.trim() || value === null || /[\0-\x1f]/.test(text) ? undefined : [text];
  }
  const parts = Object.entries(value).map(([name, part]) => [name, xmlText(part)] as const);
  const known = parts.filter((part): part is [string, WireText] => part[1] !== undefined);
  if (known.length === 0 || known.length < parts.length) return undefined;
  return isObject(value) ? [{ members: known }] : together(known.map(([, text]) => text));
}
