import { listOperations, mapOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { type Credentials, type SampleRequest, sampleRequest } from './sample-request.ts';

/** One entry of `x-codeSamples`, as documentation tools read it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** In the order of the tabs. A test runs the samples. */
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

/** The address in samples if the contract's server is relative. */
const placeholder = 'http://localhost:8080';

/**
 * Adds `x-codeSamples` to every operation without them: a request from the examples of the contract, with address and
 * credentials, for curl, TypeScript (`openapi-fetch` on the derived types) and Python (its standard library). An operation whose body is neither
 * JSON, form nor text gets none: it needs a file, which a contract does not have.
 *
 * @returns a copy that shares all but the operations
 */
export function addCodeSamples(document: OpenApiDocument): OpenApiDocument {
  const rows = listOperations(document).filter(({ operation }) => !('x-codeSamples' in operation));
  const samples = new Map(rows.map((row) => [row.operation, writeSamples(sampleRequest(document, row))]));
  return mapOperations(document, (operation) => {
    const written = samples.get(operation);
    return written === undefined ? operation : { ...operation, 'x-codeSamples': written };
  });
}

function writeSamples(given: SampleRequest): readonly CodeSample[] {
  const request = /^https?:/.test(given.serverUrl) ? given : { ...given, serverUrl: placeholder + given.serverUrl };
  if (request.body !== undefined && !isWritable(request.body.mediaType)) return [];
  return languages
    .filter(({ needsSuccess }) => request.hasSuccess || !needsSuccess)
    .map(({ lang, label, write }) => ({ lang, label, source: write(request) }));
}

function writeCurl(request: SampleRequest): string {
  const { method, credentials, headers, cookies, body } = request;
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const how = isDefault ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `;
  const sent = body === undefined || isForm(body.mediaType) ? headers : { ...headers, 'Content-Type': body.mediaType };
  return [
    `curl ${request.hasSuccess ? '' : '-i '}${how}${writeCurlUrl(request)}`,
    ...credentials.flatMap(curlCredentials),
    ...Object.entries(sent).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...Object.entries(cookies).map(([name, value]) => `-b ${quoteShell(`${name}=${value}`)}`),
    ...(body === undefined ? [] : curlBody(body)),
  ].join(' \\\n  ');
}

/** In double quotes if the shell inserts a key. */
function writeCurlUrl(request: SampleRequest): string {
  const url = writeUrl(request);
  const key = keyIn(request, 'query');
  return key === undefined ? quoteShell(url) : `"${url}${url.includes('?') ? '&' : '?'}${key}=$API_KEY"`;
}

function curlCredentials(credentials: Credentials): readonly string[] {
  if (credentials.kind === 'bearer') return ['-H "Authorization: Bearer $TOKEN"'];
  if (credentials.kind === 'basic') return ['-u "$CLIENT_ID:$CLIENT_SECRET"'];
  if (credentials.in === 'query') return [];
  return [credentials.in === 'header' ? `-H "${credentials.name}: $API_KEY"` : `-b "${credentials.name}=$API_KEY"`];
}

function curlBody({ mediaType, value }: NonNullable<SampleRequest['body']>): readonly string[] {
  if (!isForm(mediaType)) return [`-d ${quoteShell(isText(mediaType) ? String(value) : writeText(value))}`];
  const fields = Object.entries(value as object).flatMap(([name, field]) => [field].flat().map((one) => [name, one]));
  return fields.map(([name, field]) => `--data-urlencode ${quoteShell(`${name}=${field}`)}`);
}

function writeTypeScript(request: SampleRequest): string {
  const { method, serverUrl, path, pathValues, query, headers, cookies, credentials, body, hasJson } = request;
  const key = (place: string) => {
    const name = keyIn(request, place);
    return name === undefined ? {} : { [name]: env('API_KEY') };
  };
  const cookieKey = keyIn(request, 'cookie');
  const shows = (kind: Credentials['kind']) => credentials.some((one) => one.kind === kind);
  const shown = {
    ...(shows('bearer') && { Authorization: raw(`\`Bearer \${process.env.TOKEN}\``) }),
    ...(shows('basic') && {
      Authorization: raw(`\`Basic \${btoa(\`\${process.env.CLIENT_ID}:\${process.env.CLIENT_SECRET}\`)}\``),
    }),
    ...key('header'),
    ...(cookieKey !== undefined && { Cookie: raw(`\`${cookieKey}=\${process.env.API_KEY}\``) }),
  };
  const params = withoutEmpty({
    path: pathValues,
    query: { ...query, ...key('query') },
    header: headers,
    cookie: cookies,
  });
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
    "import type { paths } from './types.gen.ts'; // next to the reference, at /docs/types.gen.ts; or by lockstep generate",
    '',
    `const client = createClient<paths>(${settings});`,
    `const { ${result} } = await client.${method}(${typeScript.write(path)}${given});`,
    'if (error) throw new Error(JSON.stringify(error));',
    ...(hasJson ? ['console.log(JSON.stringify(data));'] : []),
  ].join('\n');
}

function writePython(request: SampleRequest): string {
  const { method, headers, cookies, credentials, body, hasJson } = request;
  const isFormBody = body !== undefined && isForm(body.mediaType);
  const isJsonBody = body !== undefined && !isFormBody && !isText(body.mediaType);
  const basic = "base64.b64encode(f\"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}\".encode()).decode()";
  const shows = (kind: Credentials['kind']) => credentials.some((one) => one.kind === kind);
  const headerKey = keyIn(request, 'header');
  const cookieKey = keyIn(request, 'cookie');
  const queryKey = keyIn(request, 'query');
  const plainCookies = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const sent = {
    ...(shows('bearer') && { Authorization: raw('"Bearer " + os.environ["TOKEN"]') }),
    ...(shows('basic') && { Authorization: raw(`"Basic " + ${basic}`) }),
    ...(headerKey !== undefined && { [headerKey]: raw('os.environ["API_KEY"]') }),
    ...(plainCookies.length > 0 && { Cookie: plainCookies.join('; ') }),
    ...(cookieKey !== undefined && {
      Cookie: raw(`${python.write([...plainCookies, `${cookieKey}=`].join('; '))} + os.environ["API_KEY"]`),
    }),
    ...headers,
    ...(body !== undefined && { 'Content-Type': body.mediaType }),
  };
  const hasLists = isFormBody && Object.values(body.value as object).some(Array.isArray);
  const data = isFormBody
    ? `urllib.parse.urlencode(${python.write(body.value)}${hasLists ? ', doseq=True' : ''}).encode()`
    : isJsonBody
      ? `json.dumps(${python.write(body.value)}).encode()`
      : `${python.write(String(body?.value))}.encode()`;
  const url = writeUrl(request);
  const mark = url.includes('?') ? '&' : '?';
  const address =
    queryKey === undefined
      ? python.write(url)
      : `${python.write(`${url}${mark}${queryKey}=`)} + urllib.parse.quote(os.environ["API_KEY"], safe="")`;
  return [
    ...(shows('basic') ? ['import base64'] : []),
    ...(hasJson || isJsonBody ? ['import json'] : []),
    ...(credentials.length === 0 ? [] : ['import os']),
    ...(isFormBody || queryKey !== undefined ? ['import urllib.parse'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${address},`,
    `    method="${method}",`,
    ...(Object.keys(sent).length > 0 ? [`    headers=${indent(python.write(sent))},`] : []),
    ...(body === undefined ? [] : [`    data=${indent(data)},`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    hasJson ? '    print(json.dumps(json.load(response)))' : '    print(response.status)',
  ].join('\n');
}

function writeUrl({ serverUrl, path, pathValues, queryPairs }: SampleRequest): string {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])));
  const search = new URLSearchParams(queryPairs.map(([name, value]): [string, string] => [name, value])).toString();
  return `${serverUrl}${filled}${search === '' ? '' : `?${search}`}`;
}

/** The name of an API key in that place. */
function keyIn({ credentials }: SampleRequest, place: string): string | undefined {
  return credentials.flatMap((one) => (one.kind === 'key' && one.in === place ? [one.name] : []))[0];
}

function isWritable(mediaType: string): boolean {
  return isForm(mediaType) || isText(mediaType) || /^application\/(?:[\w.-]+\+)?json\b/i.test(mediaType);
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/');
}

function isForm(mediaType: string): boolean {
  return mediaType === 'application/x-www-form-urlencoded';
}

function withoutEmpty<Members extends object>(members: Readonly<Record<string, Members>>) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => Object.keys(value).length > 0));
}

/** A value that is printed as source code. */
class Raw {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}
const raw = (source: string) => new Raw(source);
const env = (name: string) => raw(`process.env.${name} ?? ''`);

/** POSIX shell: between single quotes only the closing quote is special. */
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
