import { type ContractDocument, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { listParts } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';

/** The mark of members that are not sent in a direction. */
const marks = { request: 'readOnly', response: 'writeOnly' } as const;

export type Direction = keyof typeof marks;

/**
 * The contract for one direction: a `readOnly` member is not required in a request, a `writeOnly` one not in a response. Either may
 * still be sent if its schema allows it, since the norms only recommend against it (OpenAPI 3.0, 4.7.24; JSON Schema 2020-12,
 * Validation, 9.4, leaves it to the owner of the data).
 */
export function readDirection(contract: ContractDocument, direction: Direction): ContractDocument {
  return readings[direction](contract);
}

const readings = {
  request: oncePerDocument((contract) => leaveOut(contract, marks.request)),
  response: oncePerDocument((contract) => leaveOut(contract, marks.response)),
} as const satisfies Record<Direction, unknown>;

function leaveOut(contract: ContractDocument, mark: string): ContractDocument {
  return mapSchemas(contract, (schema, { whole }) => {
    const { required } = schema;
    if (!Array.isArray(required) || required.length === 0) return schema;
    const absent = findMarked(contract, whole, mark).union(findMarked(contract, schema, mark));
    const left = required.filter((name) => !absent.has(name));
    return left.length === required.length ? schema : { ...schema, required: left };
  });
}

function findMarked(contract: ContractDocument, schema: JsonObject, mark: string): ReadonlySet<unknown> {
  const properties = listParts(contract, schema).flatMap((part) =>
    isObject(part.properties) ? Object.entries(part.properties) : [],
  );
  return new Set(properties.filter(([, own]) => followRef(contract, own)[mark] === true).map(([name]) => name));
}
