import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '../operation.ts';
import {
  apiKey,
  basic,
  bearer,
  credentials,
  type DeclaredScheme,
  readScheme,
  type Scheme,
  unshown,
  type Verdict,
} from './scheme.ts';

/** A scheme that can't be checked in a request. */
export interface BlindScheme {
  readonly name: string;
  /** The type in the contract: `mutualTLS`. */
  readonly type: string;
  /** Operations that only this scheme protects, if it is one of OpenAPI: they are open. */
  readonly open: readonly string[];
  /** Operations that nobody can call: the contract does not declare the scheme, or its declaration can't be read. */
  readonly closed: readonly string[];
}

export interface Presence<Table extends OperationTable> {
  /** The same operations, with only those requirements that can be checked. */
  readonly operations: Table;
  readonly security: Readonly<Record<string, Scheme<object>>>;
  readonly blind: readonly BlindScheme[];
}

/** The checks that accept these credentials, or any without a list. */
function schemesFor(known: readonly string[] | undefined): Readonly<Record<DeclaredScheme['takes'], Scheme<object>>> {
  const judge = (sent: string): Verdict<object> =>
    known === undefined || known.includes(sent)
      ? { kind: 'good', principal: { sent } }
      : { kind: 'bad', reason: 'invalid' };
  return {
    bearer: bearer(judge),
    basic: basic(({ username, password }) => judge(`${username}:${password}`)),
    apiKey: apiKey(judge),
    credentials: credentials(judge),
  };
}

/**
 * Checks only that credentials are present and well-formed, for a server that can't verify them: a mock, or one whose operations are not
 * implemented yet.
 *
 * A requirement that no request can show, a client certificate, is ignored. The other requirements and alternatives still apply.
 * An operation without any is open, and is reported. A requirement that can't be read is satisfied by nobody: a fault opens no operation.
 *
 * @param known the only tokens, keys and `name:password` pairs that pass; any passes by default
 */
export function lookForCredentials<Table extends OperationTable>(
  document: ContractDocument,
  operations: Table,
  known?: readonly string[],
): Presence<Table> {
  const checks = schemesFor(known);
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const asked = new Set(Object.values(operations).flatMap(({ security }) => security.flatMap(Object.keys)));
  const declared = [...asked].map((name) => {
    const scheme = followMember(document, schemes, name);
    return { name, scheme, read: readScheme(scheme) };
  });
  const seen = declared.flatMap(({ name, read, scheme: { type } }) => {
    if (read !== undefined) return [[name, checks[read.takes]] as const];
    return type === 'mutualTLS' ? [] : [[name, unshown()] as const];
  });
  const security = Object.fromEntries(seen);
  const open = new Map<string, string[]>();
  const faulty = new Set(declared.flatMap(({ name, read }) => (read === undefined ? [name] : [])));
  const closed = new Map<string, string[]>();
  const cut = (operation: Operation): Operation => {
    const left = operation.security
      .map((alternative) => Object.entries(alternative).filter(([name]) => Object.hasOwn(security, name)))
      .filter((entries, index) => entries.length > 0 || Object.keys(operation.security[index] ?? {}).length === 0);
    const shut = left.map((entries) => entries.find(([name]) => faulty.has(name))?.[0]);
    for (const name of shut.every((one) => one !== undefined) ? new Set(shut) : [])
      closed.set(name, [...(closed.get(name) ?? []), operation.operationId]);
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
      .map(({ name, scheme: { type } }) => ({
        name,
        type: String(type ?? 'undeclared'),
        open: open.get(name) ?? [],
        closed: closed.get(name) ?? [],
      })),
  };
}
