import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '../operation.ts';
import { apiKey, basic, bearer, credentials, type DeclaredScheme, readScheme, type Scheme } from './scheme.ts';

/** A scheme that no request can be looked at for. */
export interface BlindScheme {
  readonly name: string;
  /** As the contract has it: `mutualTLS`. */
  readonly type: string;
  /** Those that it alone protects: anybody may call them. */
  readonly open: readonly string[];
}

export interface Presence<Table extends OperationTable> {
  /** The same operations, their requirements cut down to what can be looked at. */
  readonly operations: Table;
  readonly security: Readonly<Record<string, Scheme<object>>>;
  readonly blind: readonly BlindScheme[];
}

const anybody = { kind: 'good', principal: {} } as const;

const anyOf: Readonly<Record<DeclaredScheme['takes'], Scheme<object>>> = {
  bearer: bearer(() => anybody),
  basic: basic(() => anybody),
  apiKey: apiKey(() => anybody),
  credentials: credentials(() => anybody),
};

/**
 * Looks whether credentials are there and well-formed, for those who serve a contract before anybody can judge them: in a mock, or where
 * an operation is not written yet. Their value and scopes are not judged: any token passes.
 *
 * A requirement of what no request shows, as a client's certificate, counts for nothing: the others of its alternative, and the other
 * alternatives, are asked for. An operation that has no others is open, and named.
 */
export function lookForCredentials<Table extends OperationTable>(
  document: ContractDocument,
  operations: Table,
): Presence<Table> {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const asked = new Set(Object.values(operations).flatMap(({ security }) => security.flatMap(Object.keys)));
  const declared = [...asked].map((name) => {
    const scheme = followMember(document, schemes, name);
    return { name, scheme, read: readScheme(scheme) };
  });
  const seen = declared.flatMap(({ name, read }) => (read === undefined ? [] : [[name, anyOf[read.takes]] as const]));
  const security = Object.fromEntries(seen);
  const open = new Map<string, string[]>();
  const cut = (operation: Operation): Operation => {
    const left = operation.security
      .map((alternative) => Object.entries(alternative).filter(([name]) => Object.hasOwn(security, name)))
      .filter((entries, index) => entries.length > 0 || Object.keys(operation.security[index] ?? {}).length === 0);
    if (left.length === 0)
      for (const name of operation.security.flatMap(Object.keys))
        open.set(name, [...(open.get(name) ?? []), operation.operationId]);
    return { ...operation, security: left.map((entries) => Object.fromEntries(entries)) };
  };
  const all = Object.entries(operations).map(([id, operation]) => [id, cut(operation)]);
  return {
    operations: Object.fromEntries(all) as Table,
    security,
    blind: declared
      .filter(({ read }) => read === undefined)
      .map(({ name, scheme: { type } }) => ({ name, type: String(type ?? 'undeclared'), open: open.get(name) ?? [] })),
  };
}
