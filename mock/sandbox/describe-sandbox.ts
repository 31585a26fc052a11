import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations } from '@lockstep/contract/operations';
import { type ContractDocument, readPointer } from '@lockstep/json/json-pointer';
import { formatStartPage } from '@lockstep/runtime/start-page';
import { describeMock, type MockAccess, type MockDescription } from '../describe-mock.ts';
import { formatCurl, sampleRequest, shellToken } from '../sample-request.ts';

const notes = [
  'It does what the service does, on a store in memory with simulated bridges and locks, and remembers it until it is reset or stopped.',
  'Tokens and scopes are judged. Tokens end with the process.',
  'Ask for any documented answer: Prefer: code=404, and example=<name> for one of several, or dynamic=true. An unknown one is a 400 that lists them.',
  'Reset, scenarios, clock, faults, tokens and a journal of requests: /_sandbox, a page and an API.',
] as const;

/** A page can't say what the secret is: it is for whoever reaches the port. */
const tokenNote =
  'Lines below send $TOKEN. Where the sandbox was started, a line that gets one was printed, with clients and secrets; /_sandbox/ has a button that does.';

export function describeSandbox(origin: string, access: MockAccess): MockDescription {
  return describeMock(origin, contract, operations, { access, notes });
}

/** For whoever opens it in a browser. No secret is on it: any page of this machine may be read over somebody's shoulder, and by whoever reaches the port. */
export function formatSandboxPage(origin: string): string {
  const document: ContractDocument = contract;
  const { addresses } = describeMock(origin, document, operations);
  return formatStartPage({
    title: contract.info.title,
    version: contract.info.version,
    kind: 'Sandbox',
    notes: [...notes, tokenNote],
    addresses,
    links: [{ href: '/_sandbox/', says: 'drives it: scenarios, clock, faults, tokens, and what reached it' }],
    operations: Object.values<Operation>(operations).map((operation) => ({
      operationId: operation.operationId,
      method: operation.method.toUpperCase(),
      path: operation.basePath + operation.path,
      summary: readSummary(document, operation),
      curl: formatCurl(origin, sampleRequest(document, operation, shellToken)),
    })),
  });
}

function readSummary(document: ContractDocument, { pointer }: Operation): string {
  const { summary } = (readPointer(document, pointer) ?? {}) as { readonly summary?: unknown };
  return typeof summary === 'string' ? summary : '';
}
