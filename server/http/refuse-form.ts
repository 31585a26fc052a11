import type { Operation } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { Detail, PlaceFault } from '@lockstep/runtime/form/detail';
import { type ErrorCode, errorCatalogue, Refused, refuse } from '../error-catalogue.ts';

/** Bounds of the contract's `FaultDetail` and error text: what a caller sent must not make its own answer invalid. */
const longestSays = 1_000;
const longestAt = 500;
const mostNearest = 20;

/** Turns the faults of a request's form into its refusal. */
export type RefuseForm = (first: PlaceFault, all: readonly PlaceFault[]) => Refused;

/**
 * Prepares the refusals of one operation: `invalid_request`, or the code that the contract gives to a parameter's own
 * status (`x-invalid-status`).
 *
 * @throws Error where the operation declares no code of the catalogue for such a status
 */
export function createFormRefusal(document: ContractDocument, operation: Operation): RefuseForm {
  const statuses = operation.parameters.flatMap(({ invalidStatus }) => invalidStatus ?? []);
  const codes = new Map(statuses.map((status) => [status, findCode(document, operation, status)]));
  return (first, all) => {
    const { text, details } = boundFaults(first, all);
    const own = first.status === undefined ? undefined : codes.get(first.status);
    return new Refused(own === undefined ? refuse('invalid_request', { text, details }) : refuse(own, { text }));
  };
}

/** Text and details of an answer, cut to the bounds that they may have. */
export function boundFaults(first: PlaceFault, all: readonly PlaceFault[]): { text: string; details: Detail[] } {
  const details = all.map(({ in: place, at, says, nearest }) => ({
    in: place,
    at: shorten(at, longestAt),
    says: shorten(says, longestSays),
    nearest: nearest.slice(0, mostNearest).map((value) => shorten(value, longestAt)),
  }));
  return { text: shorten(first.says, longestSays), details };
}

/** Codes whose answer has no more than a text: all that `refuse` needs to know of them. */
type PlainCode = 'invalid_object_id';

function findCode(document: ContractDocument, { operationId, pointer }: Operation, status: number): PlainCode {
  const operation = readPointer(document, pointer);
  const responses = isObject(operation) ? followMember(document, operation, 'responses') : {};
  const codes = followMember(document, responses, String(status))['x-error-codes'];
  const code = (Array.isArray(codes) ? codes.map(String) : []).find(isPlainCode);
  if (code !== undefined && errorCatalogue[code].status === status) return code;
  throw new Error(`${operationId}: no error code for a parameter's x-invalid-status ${status}`);
}

function isPlainCode(code: string): code is PlainCode {
  const plain: readonly ErrorCode[] = ['invalid_object_id'];
  return plain.some((known) => known === code);
}

function shorten(text: string, longest: number): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}
