import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { findResponse, listContents, responseKeys } from '@lockstep/runtime/rejection/declared-response';
import { formatCurl, quote, type SampleRequest, sampleRequest, shellToken } from './sample-request.ts';

/** The credentials for a mock that checks tokens. */
export interface MockAccess {
  /** Address of its authorization server, without a trailing slash. */
  readonly authUrl: string;
  readonly clients: readonly { readonly clientId: string; readonly secret: string; readonly kind: string }[];
}

export interface MockDescription {
  readonly origin: string;
  /** Name and version of the contract. */
  readonly title: string;
  /** Each base path with the number of operations below it. */
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
  readonly notes: readonly string[];
  /** Lines for a shell, each with its purpose. */
  readonly samples: readonly { readonly shows: string; readonly command: string }[];
}

/**
 * The description that a mock prints at its start: its addresses, its notes, and lines to paste into a shell.
 */
export function describeMock(
  origin: string,
  document: ContractDocument,
  operations: OperationTable,
  { access, notes = [] }: { readonly access?: MockAccess; readonly notes?: readonly string[] } = {},
): MockDescription {
  const all = Object.values(operations);
  const { title = 'API', version = '' } = followMember(document, document, 'info');
  const byBase = Map.groupBy(all, ({ basePath }) => basePath);
  return {
    origin,
    title: `${String(title)} ${String(version)}`.trim(),
    addresses: [...byBase].map(([basePath, group]) => ({ url: origin + basePath, operations: group.length })),
    notes,
    samples: [...(access === undefined ? [] : tokenCalls(access)), ...sampleCalls(origin, document, all, access)],
  };
}

/** The first client that gets a token by its own credentials. */
function tokenCalls({ authUrl, clients }: MockAccess): MockDescription['samples'] {
  const read = "node -pe 'JSON.parse(fs.readFileSync(0)).access_token'";
  return clients
    .filter(({ kind }) => kind === 'own')
    .slice(0, 1)
    .map(({ clientId, secret }) => ({
      shows: `a token of ${clientId}, which the calls below send`,
      command: `TOKEN=$(curl -s -u ${quote(`${clientId}:${secret}`)} -d grant_type=client_credentials ${quote(`${authUrl}/oauth2/token`)} | ${read})`,
    }));
}

function* sampleCalls(
  origin: string,
  document: ContractDocument,
  operations: readonly Operation[],
  access: MockAccess | undefined,
): Generator<{ shows: string; command: string }> {
  // Paths of an OAuth server have no documented answers to show.
  const all = operations.filter(({ basePath }) => access === undefined || origin + basePath !== access.authUrl);
  const reading =
    all.find(({ method, path }) => method === 'get' && path.includes('{')) ??
    all.find(({ method }) => method === 'get');
  const writing = all.find(
    ({ method, requestBody }) => method === 'post' && requestBody?.content['application/json'] !== undefined,
  );
  const form = all.find(({ requestBody }) => requestBody?.content['application/x-www-form-urlencoded'] !== undefined);
  const curl = (operation: Operation, change: (sample: SampleRequest) => SampleRequest = (sample) => sample): string =>
    formatCurl(origin, change(sampleRequest(document, operation, access && shellToken)));
  if (reading !== undefined) {
    yield { shows: `${reading.operationId}`, command: curl(reading) };
    yield {
      shows: `${reading.operationId}: an unknown query parameter`,
      command: curl(reading, (sample) => ({
        ...sample,
        target: `${sample.target}${sample.target.includes('?') ? '&' : '?'}unknown=1`,
      })),
    };
  }
  if (writing !== undefined) {
    yield { shows: `${writing.operationId}`, command: curl(writing) };
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

/** The last declared client error that has a named example. */
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
