import { listOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { type Credentials, type SampleRequest, sampleRequest } from './sample-request.ts';

/** One entry of `x-codeSamples`, as documentation tools read it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** In the order of the tabs. A test runs what they write. */
const languages: readonly {
  lang: string;
  label: string;
  write: (request: SampleRequest) => string;
  needsSuccess: boolean;
}[] = [
  { lang: 'Shell', label: 'curl', write: writeCurl, needsSuccess: false },
  { lang: 'TypeScript', label: 'TypeScript', write: writeTypeScript, needsSuccess: true },
  { lang: 'Python', label: 'Python', write: writePython, needsSuccess: true },
];

/** The address that samples name where the contract's server is relative. */
const placeholder = 'http://localhost:8080';

/**
 * Adds `x-codeSamples` to every operation that has none of its own: a request from the examples of the contract, with address and
 * credentials, for curl, TypeScript (`openapi-fetch` on the derived types) and Python (its standard library).
 *
 * @returns a copy
 */
export function addCodeSamples(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document) as OpenApiDocument;
  for (const row of listOperations(copy)) {
    const operation = row.operation as { 'x-codeSamples'?: readonly CodeSample[] };
    operation['x-codeSamples'] ??= writeSamples(sampleRequest(copy, row));
  }
  return copy;
}

function writeSamples(given: SampleRequest): readonly CodeSample[] {
  const request = /^https?:/.test(given.serverUrl) ? given : { ...given, serverUrl: placeholder + given.serverUrl };
  return languages
    .filter(({ needsSuccess }) => request.hasSuccess || !needsSuccess)
    .map(({ lang, label, write }) => ({ lang, label, source: write(request) }));
}

function writeCurl(request: SampleRequest): string {
  const { method, credentials, headers, body } = request;
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const fields = body !== undefined && isForm(body.mediaType) ? Object.entries(body.value as object) : undefined;
  return [
    `curl ${request.hasSuccess ? '' : '-i '}${isDefault ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `}${quoteShell(writeUrl(request))}`,
    ...curlCredentials(credentials),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(fields ?? []).map(([name, value]) => `--data-urlencode ${quoteShell(`${name}=${value}`)}`),
    ...(body === undefined || fields !== undefined
      ? []
      : [`-H ${quoteShell(`Content-Type: ${body.mediaType}`)}`, `-d ${quoteShell(writeText(body.value))}`]),
  ].join(' \\\n  ');
}

function curlCredentials(credentials: Credentials): readonly string[] {
  if (credentials.kind === 'bearer') return ['-H "Authorization: Bearer $TOKEN"'];
  if (credentials.kind === 'basic') return ['-u "$CLIENT_ID:$CLIENT_SECRET"'];
  if (credentials.kind !== 'key') return [];
  if (credentials.in === 'header') return [`-H "${credentials.name}: $API_KEY"`];
  if (credentials.in === 'cookie') return [`-b "${credentials.name}=$API_KEY"`];
  return ['-G', `--data-urlencode "${credentials.name}=$API_KEY"`];
}

function writeTypeScript({
  method,
  serverUrl,
  path,
  pathValues,
  query,
  headers,
  credentials,
  body,
  hasJson,
}: SampleRequest): string {
  const key = credentials.kind === 'key' ? credentials : undefined;
  const keyIn = (place: string) => (key?.in === place ? { [key.name]: env('API_KEY') } : {});
  const shown = {
    ...(credentials.kind === 'bearer' && { Authorization: raw(`\`Bearer \${process.env.TOKEN}\``) }),
    ...(credentials.kind === 'basic' && {
      Authorization: raw(`\`Basic \${btoa(\`\${process.env.CLIENT_ID}:\${process.env.CLIENT_SECRET}\`)}\``),
    }),
    ...keyIn('header'),
    ...(key?.in === 'cookie' && { Cookie: raw(`\`${key.name}=\${process.env.API_KEY}\``) }),
  };
  const params = withoutEmpty({ path: pathValues, query: { ...query, ...keyIn('query') }, header: headers });
  const options = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body !== undefined && { body: body.value }),
    ...(body !== undefined && body.mediaType !== 'application/json' && { headers: { 'Content-Type': body.mediaType } }),
  };
  const given = Object.keys(options).length > 0 ? `, ${typeScript.write(options)}` : '';
  const settings = typeScript.write({ baseUrl: serverUrl, ...withoutEmpty({ headers: shown }) });
  const result = hasJson ? 'data, error' : 'error';
  return [
    "import createClient from 'openapi-fetch';",
    "import type { paths } from './types.gen.ts';",
    '',
    `const client = createClient<paths>(${settings});`,
    `const { ${result} } = await client.${method}(${typeScript.write(path)}${given});`,
    'if (error) throw new Error(JSON.stringify(error));',
    ...(hasJson ? ['console.log(JSON.stringify(data));'] : []),
  ].join('\n');
}

function writePython(request: SampleRequest): string {
  const { method, headers, credentials, body, hasJson } = request;
  const form = body !== undefined && isForm(body.mediaType);
  const key = credentials.kind === 'key' ? credentials : undefined;
  const basic = "base64.b64encode(f\"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}\".encode()).decode()";
  const sent = {
    ...(credentials.kind === 'bearer' && { Authorization: raw('"Bearer " + os.environ["TOKEN"]') }),
    ...(credentials.kind === 'basic' && { Authorization: raw(`"Basic " + ${basic}`) }),
    ...(key?.in === 'header' && { [key.name]: raw('os.environ["API_KEY"]') }),
    ...(key?.in === 'cookie' && { Cookie: raw(`"${key.name}=" + os.environ["API_KEY"]`) }),
    ...headers,
    ...(body !== undefined && { 'Content-Type': body.mediaType }),
  };
  const data = form
    ? `urllib.parse.urlencode(${python.write(body.value)}).encode()`
    : `json.dumps(${python.write(body?.value)}).encode()`;
  const url = python.write(writeUrl(request));
  const joined =
    key?.in === 'query' ? `${url} + "${url.includes('?') ? '&' : '?'}${key.name}=" + os.environ["API_KEY"]` : url;
  return [
    ...(credentials.kind === 'basic' ? ['import base64'] : []),
    ...(hasJson || (body !== undefined && !form) ? ['import json'] : []),
    ...(credentials.kind === 'none' ? [] : ['import os']),
    ...(form ? ['import urllib.parse'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${joined},`,
    `    method="${method}",`,
    ...(Object.keys(sent).length > 0 ? [`    headers=${indent(python.write(sent))},`] : []),
    ...(body === undefined ? [] : [`    data=${indent(data)},`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    hasJson ? '    print(json.dumps(json.load(response)))' : '    print(response.status)',
  ].join('\n');
}

function writeUrl({ serverUrl, path, pathValues, query }: SampleRequest): string {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])));
  const search = new URLSearchParams(query as Readonly<Record<string, string>>).toString();
  return `${serverUrl}${filled}${search === '' ? '' : `?${search}`}`;
}

function isForm(mediaType: string): boolean {
  return mediaType === 'application/x-www-form-urlencoded';
}

function withoutEmpty<Members extends object>(members: Readonly<Record<string, Members>>) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => Object.keys(value).length > 0));
}

/** Words of the language itself, among values. */
class Raw {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}
const raw = (source: string) => new Raw(source);
const env = (name: string) => raw(`process.env.${name} ?? ''`);

/** POSIX shell: nothing is special between single quotes but their end. */
function quoteShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** JSON as people write it, on one line. */
function writeText(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2');
}

/** How a language writes a value: short ones on one line. */
function createWriter(rules: {
  text: (value: string) => string;
  name: (value: string) => string;
  words: Readonly<Record<string, string>>;
  step: string;
  tight: string;
}) {
  const write = (value: unknown): string => {
    if (value instanceof Raw) return value.source;
    if (typeof value === 'string') return rules.text(value);
    if (typeof value !== 'object' || value === null) return rules.words[String(value)] ?? String(value);
    const parts = Array.isArray(value)
      ? value.map(write)
      : Object.entries(value).map(([name, member]) => `${rules.name(name)}: ${write(member)}`);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (parts.length === 0) return open + close;
    const line = `${open}${rules.tight}${parts.join(', ')}${rules.tight}${close}`;
    if (line.length <= 80 && !line.includes('\n')) return Array.isArray(value) ? `[${parts.join(', ')}]` : line;
    return `${open}\n${parts.map((part) => `${rules.step}${part.replaceAll('\n', `\n${rules.step}`)},`).join('\n')}\n${close}`;
  };
  return { write };
}

const typeScript = createWriter({
  text: (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  name: (value) => (/^[A-Za-z_$][\w$]*$/.test(value) ? value : `'${value}'`),
  words: {},
  step: '  ',
  tight: ' ',
});

const python = createWriter({
  text: (value) => JSON.stringify(value),
  name: (value) => JSON.stringify(value),
  words: { null: 'None', true: 'True', false: 'False' },
  step: '    ',
  tight: '',
});

function indent(text: string): string {
  return text.replaceAll('\n', '\n    ');
}
