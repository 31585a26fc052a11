import { findResponse, listContents, responseKeys } from './contract/declared-response.ts';
import type { Operation, OperationTable } from './contract/operation.ts';
import { type ContractDocument, followMember } from './contract/read-pointer.ts';
import { type SampleRequest, sampleRequest } from './sample-request.ts';

export interface MockDescription {
  readonly origin: string;
  /** Name and version of the contract. */
  readonly title: string;
  /** Each base path with the number of operations below it. */
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
  readonly notes: readonly string[];
  /** Lines for a shell, each with what it shows. */
  readonly samples: readonly { readonly shows: string; readonly command: string }[];
}

/** What somebody who just started the mock needs to know: where it is, what it does not do, lines to paste. */
export function describeMock(origin: string, document: ContractDocument, operations: OperationTable): MockDescription {
  const all = Object.values(operations);
  const { title = 'API', version = '' } = followMember(document, document, 'info');
  const byBase = Map.groupBy(all, ({ basePath }) => basePath);
  return {
    origin,
    title: `${String(title)} ${String(version)}`.trim(),
    addresses: [...byBase].map(([basePath, group]) => ({ url: origin + basePath, operations: group.length })),
    notes: [
      'Credentials are looked at for their form alone: any bearer token passes, whatever its scopes and age, and so does any client.',
      'Nothing is kept: what you create cannot be read back. Answers are the examples of the contract.',
      'Ask for any documented answer: Prefer: code=404, and example=<name> for one of several. An unknown one is a 400 that lists them.',
    ],
    samples: [...sampleCalls(origin, document, all)],
  };
}

/** The same as lines for a terminal. */
export function formatDescription({ origin, title, addresses, notes, samples }: MockDescription): string[] {
  return [
    `Mock of ${title} on ${origin}`,
    ...addresses.map(
      ({ url, operations }) => `  ${url}  ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ),
    '',
    ...notes.map((note) => `- ${note}`),
    ...samples.flatMap(({ shows, command }) => ['', `# ${shows}`, command]),
  ];
}

function* sampleCalls(
  origin: string,
  document: ContractDocument,
  all: readonly Operation[],
): Generator<{ shows: string; command: string }> {
  const reading =
    all.find(({ method, path }) => method === 'get' && path.includes('{')) ??
    all.find(({ method }) => method === 'get');
  const writing = all.find(
    ({ method, requestBody }) => method === 'post' && requestBody?.content['application/json'] !== undefined,
  );
  const form = all.find(({ requestBody }) => requestBody?.content['application/x-www-form-urlencoded'] !== undefined);
  const curl = (operation: Operation, change: (sample: SampleRequest) => SampleRequest = (sample) => sample): string =>
    formatCurl(origin, change(sampleRequest(document, operation)));
  if (reading !== undefined) {
    yield { shows: `${reading.operationId}: the documented answer`, command: curl(reading) };
    yield {
      shows: `${reading.operationId}: an unknown query parameter`,
      command: curl(reading, (sample) => ({ ...sample, target: `${sample.target}?unknown=1` })),
    };
  }
  if (writing !== undefined) {
    yield { shows: `${writing.operationId}: the documented answer`, command: curl(writing) };
    const failure = findNamedFailure(document, writing);
    const prefer = (sample: SampleRequest): SampleRequest => ({
      ...sample,
      headers: { ...sample.headers, Prefer: failure ?? '' },
    });
    if (failure !== undefined)
      yield { shows: `${writing.operationId}: a documented error, by name`, command: curl(writing, prefer) };
  }
  if (form !== undefined) yield { shows: `${form.operationId}: a form with client credentials`, command: curl(form) };
}

/** The most telling error: the last declared client error that has a named example. */
function findNamedFailure(document: ContractDocument, { pointer }: Operation): string | undefined {
  const codes = responseKeys(document, pointer).filter((key) => /^4\d\d$/.test(key));
  return codes
    .flatMap((code) => {
      const response = findResponse(document, pointer, Number(code));
      const names =
        response === undefined ? [] : listContents(document, response.node).flatMap(({ examples }) => examples);
      return names.map(({ name }) => `code=${code}, example=${name}`);
    })
    .at(-1);
}

function formatCurl(origin: string, { method, target, headers, body }: SampleRequest): string {
  const parts = ['curl -i', ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`])];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`-d ${quote(body)}`);
  return [...parts, quote(origin + target)].join(' ');
}

/** For a POSIX shell: nothing inside single quotes means anything, but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
