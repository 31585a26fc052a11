import { type ContractDocument, followMember, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { framing, headerText, listExamples, type NamedExample } from '../rejection/declared-response.ts';
import type { JudgeValue } from '../validation/judge-value.ts';
import type { MakeValue } from './make-value.ts';

interface Tools {
  readonly document: ContractDocument;
  readonly judge: JudgeValue;
  readonly makeValue: MakeValue;
}

/** Values of headers whose format HTTP defines, for a contract that declares only text: clients parse them, and follow some. */
const usual: Readonly<Record<string, string>> = {
  'accept-ranges': 'none',
  age: '0',
  allow: 'GET, HEAD, OPTIONS',
  'cache-control': 'no-store',
  'content-disposition': 'attachment',
  'content-language': 'en',
  'content-location': '/',
  etag: '"1"',
  expires: 'Thu, 15 Jan 2026 10:00:00 GMT',
  'last-modified': 'Thu, 15 Jan 2026 10:00:00 GMT',
  link: '</>; rel="self"',
  location: '/',
  'retry-after': '1',
  vary: 'Accept',
  'www-authenticate': 'Bearer realm="api"',
};

const anyText = { type: 'string' };

/** Attempts to generate a value that a header can contain. */
const mostTries = 5;

/**
 * The headers of a response. Each is the example with the name of the chosen body's example, so that a challenge fits its error; else the
 * first example. If its schema rejects that, the value is generated.
 */
export function writeHeaders(
  tools: Tools,
  response: JsonObject,
  exampleName: string | undefined,
): Record<string, string> {
  const { document } = tools;
  const headers: Record<string, string> = {};
  for (const [name, node] of Object.entries(followMember(document, response, 'headers'))) {
    if (framing.has(name.toLowerCase())) continue;
    const text = chooseText(tools, name, followRef(document, node), exampleName);
    if (text !== undefined) headers[name] = text;
  }
  return headers;
}

function chooseText(
  tools: Tools,
  name: string,
  header: JsonObject,
  exampleName: string | undefined,
): string | undefined {
  const { document, judge, makeValue } = tools;
  const [media] = Object.values(followMember(document, header, 'content')).map((one) => followRef(document, one));
  const schema = media === undefined ? header.schema : media.schema;
  const write = (value: unknown): string =>
    media === undefined ? writeSimple(value, header.explode === true) : JSON.stringify(value);
  const fits = ({ value }: NamedExample): boolean =>
    judge(value, schema) === undefined && headerText.test(write(value));
  const examples = [header, ...(media === undefined ? [] : [media])]
    .flatMap((node) => listExamples(document, node))
    .filter(fits);
  const chosen = examples.find((example) => example.name === exampleName) ?? examples[0];
  if (chosen !== undefined) return quoteTag(name, write(chosen.value));
  const own = usual[name.toLowerCase()];
  const { type, format, pattern, example, enum: listed } = followRef(document, schema);
  const isFree = format === undefined && pattern === undefined && example === undefined && listed === undefined;
  if (own !== undefined && type !== 'array' && isFree && judge(own, schema) === undefined) return own;
  for (let seed = 0; seed < mostTries; seed += 1) {
    const made = makeValue(schema ?? anyText, seed);
    if (made.kind === 'value' && headerText.test(write(made.value))) return quoteTag(name, write(made.value));
  }
  return undefined;
}

/** An entity tag is quoted (RFC 9110, 8.8.3); examples often lack the quotes. */
function quoteTag(name: string, text: string): string {
  const isTag = name.toLowerCase() !== 'etag' || /^(W\/)?"[^"]*"$/.test(text);
  return isTag ? text : `"${text.replaceAll('"', '')}"`;
}

/** Style `simple`, the only one of a header (OpenAPI 3.1, 4.8.21). */
function writeSimple(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (!isObject(value)) return textOf(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}${explode ? '=' : ','}${textOf(member)}`)
    .join(',');
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
