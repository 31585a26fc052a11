import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations } from '@lockstep/contract/operations';
import { type ContractDocument, readPointer } from '@lockstep/json/json-pointer';
import { formatStartPage } from '@lockstep/runtime/start-page';
import { describeMock, type MockAccess, type MockDescription } from '../describe-mock.ts';
import { formatCurl, sampleRequest, shellToken } from '../sample-request.ts';

const notes = [
  'The sandbox works as the service does, on a store in memory with simulated bridges and locks. It keeps its data until it is reset or stopped.',
  'Tokens and scopes are checked. Tokens are valid until the process exits.',
  'Request any documented answer: Prefer: code=404, and example=<name> for one of several, or dynamic=true. An unknown one gets a 400 that lists them.',
  'Reset, scenarios, clock, faults, tokens and a journal of requests: /_sandbox, a page and an API.',
  '/w/NAME before any path selects a world: a sandbox with data, clock, faults, journal and tokens of its own, for one of several parallel tests.',
] as const;

/** The page can't contain the secret: everyone who reaches the port may read it. */
const tokenNote =
  'The lines below send $TOKEN. At its start, the sandbox printed a line that gets a token, with clients and secrets; /_sandbox/ has a button for it.';

export function describeSandbox(origin: string, access: MockAccess): MockDescription {
  return describeMock(origin, contract, operations, { access, notes });
}

/**
 * The start page for a browser. It contains no secret, since everyone who reaches the port may read it.
 *
 * @param prefix of a world: `/w/test-7`; empty for paths without a world
 */
export function formatSandboxPage(origin: string, prefix: string): string {
  const document: ContractDocument = contract;
  const { addresses } = describeMock(origin + prefix, document, operations);
  return formatStartPage({
    title: contract.info.title,
    version: contract.info.version,
    kind: 'Sandbox',
    notes: [...notes, tokenNote],
    addresses,
    links: [
      { href: `${prefix}/_sandbox/`, purpose: 'controls the sandbox: scenarios, clock, faults, tokens and requests' },
    ],
    operations: Object.values<Operation>(operations).map((operation) => ({
      operationId: operation.operationId,
      method: operation.method.toUpperCase(),
      path: operation.basePath + operation.path,
      summary: readSummary(document, operation),
      curl: formatCurl(origin + prefix, sampleRequest(document, operation, shellToken)),
    })),
  });
}

function readSummary(document: ContractDocument, { pointer }: Operation): string {
  const { summary } = (readPointer(document, pointer) ?? {}) as { readonly summary?: unknown };
  return typeof summary === 'string' ? summary : '';
}
