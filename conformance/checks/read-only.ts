// Properties that only the server may set: verdicts on the probes that send them.
import { type Contract, isJson, type Operation, responseFor } from '../contract/contract.ts';
import { isObject, isSame, joinPointer, type Pointer, readPointer } from '../contract/document.ts';
import { type Draft, type Exchange, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { unwrap } from '../resources/read-items.ts';
import { operationAt, plainPath } from '../resources/slots.ts';
import { clauseOf, is30 } from '../schema/clauses.ts';
import type { RunContext, TraceCheck } from './check.ts';
import { exchangesOf, statusOf } from './parts.ts';

/** A read-only property of an object. */
export interface ReadOnlyMember {
  /** Its place in the object, `/meta/created`. */
  readonly at: string;
  /** Its schema in the contract. */
  readonly pointer: Pointer;
}

/** Levels of objects in which read-only properties are looked for. */
const deepest = 2;

/** The GET of the objects that an operation creates or changes. */
export function readOf(contract: Contract, { method, path }: Operation): Operation | undefined {
  return operationAt(contract, 'get', method === 'post' ? `${plainPath(path)}/{}` : plainPath(path));
}

/** The JSON schema of an answer 200. */
export function schemaOfRead(read: Operation): Pointer | undefined {
  return responseFor(read, 200)?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
}

/**
 * The properties that only the server may set: those that the request declares so, and those that the read declares so and the request
 * does not declare.
 */
export function readOnlyMembers(
  { judge, contract }: RunContext,
  { operation, body }: Draft,
): readonly ReadOnlyMember[] {
  const form = judge.forms.request;
  const read = (
    pointer: Pointer,
    above: string,
    depth: number,
  ): (ReadOnlyMember & { readonly isMarked: boolean })[] => {
    const shape = form.branch(form.at(pointer));
    return [...form.declared(shape)].flatMap(([name, own]) => {
      const at = joinPointer(above, name);
      const isMarked = form.common(form.property(shape, name)).isLeftOut;
      const inner = isMarked || depth >= deepest ? [] : read(own, at, depth + 1);
      return [{ at, pointer: own, isMarked }, ...inner];
    });
  };
  const reading = readOf(contract, operation);
  const [sent, shown] = [body?.content.schema, reading && schemaOfRead(reading)].map((schema) =>
    schema === undefined ? [] : read(schema, '', 0),
  );
  const declared = new Set(sent?.map(({ at }) => at));
  return [...(sent ?? []), ...(shown ?? []).filter(({ at }) => !declared.has(at))].filter(({ isMarked }) => isMarked);
}

/** A property of an answer, with any wrapper around the object: `{"data": {…}}`. */
export function readMember(body: unknown, at: string): unknown {
  return readPointer(body, at) ?? (isObject(body) ? readPointer(unwrap(body), at) : undefined);
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Whether two values are equal, times by their instant. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string' && instant.test(a) && instant.test(b))
    return Date.parse(a) === Date.parse(b);
  return isSame(a, b);
}

/** A write of a probe, with the read that followed it. */
interface Step<Kind extends Exchange = Exchange> {
  readonly write: Kind;
  readonly read: Kind | undefined;
}

/** Whether a write stored a member as it was sent; undefined if its answers do not show it. */
export function isStored({ write, read }: Step, { at }: ReadOnlyMember): boolean | undefined {
  const sent = readPointer(write.seen.requestBody, at);
  if (sent === undefined || !isAccepted(write) || read === undefined || !isAccepted(read)) return undefined;
  return isSameValue(readMember(read.seen.responseBody, at), sent);
}

/** Statuses that reject a value. */
const rejections = new Set([400, 403, 409, 422]);

/** Two different values, each stored as sent: the server would hardly choose both. */
function isWritten(steps: readonly Step[], member: ReadOnlyMember): boolean {
  const [first, ...others] = steps
    .filter((step) => isStored(step, member) === true)
    .map(({ write }) => write.seen.requestBody);
  const isIgnored = steps.some((step) => isStored(step, member) === false);
  return !isIgnored && others.some((body) => !isSameValue(readPointer(body, member.at), readPointer(first, member.at)));
}

export const readOnlyWritten: TraceCheck = {
  kind: 'trace',
  name: 'read-only-written',
  about: 'a property that is declared readOnly is stored as the client sends it',
  effect: 'Clients set values that only the server should choose: ids, times, states, roles, prices.',
  clauses: ['JSON Schema', 'OpenAPI'],
  example: {
    sent: 'POST /books {"title":"Emma","added":"2001-02-03T04:05:06Z"}; added is readOnly',
    answered: '201; GET /books/8 has "added":"2001-02-03T04:05:06Z"',
  },
  fix: 'Ignore or reject read-only properties: copy only the others from the request.',
  allow: 'Remove readOnly from the property if clients may set it.',
  plan: () => [],
  needs: (place) => `conclusive answer to the probe "${place}"`,
  judge: (trace, context) => {
    const own = exchangesOf(trace, readOnlyWritten.name);
    const steps = own.flatMap((write, index): Step<NumberedExchange>[] => {
      if (write.intent.probe?.role !== 'case') return [];
      const next = own[index + 1];
      return [{ write, read: next?.intent.probe?.role === 'read' ? next : undefined }];
    });
    const [step] = steps;
    if (step?.write.draft === undefined) return [];
    const members = readOnlyMembers(context, step.write.draft);
    const written = members.filter((member) => isWritten(steps, member));
    const isMet = steps.some(
      (one) => rejections.has(statusOf(one.write)) || members.some((member) => isStored(one, member) === false),
    );
    if (written.length === 0 && !isMet) return [];
    const shown = steps.find((one) => written.some((member) => isStored(one, member) === true)) ?? step;
    const failures = written.map((member) => failureOf(member, shown.write.operation, context));
    return [{ place: step.write.intent.probe?.name ?? '', failures, exchange: shown.write }];
  },
};

function failureOf({ at, pointer }: ReadOnlyMember, { id }: Operation, { contract: { root } }: RunContext): Failure {
  const version = root.openapi;
  const keyword = joinPointer(pointer, 'readOnly');
  return {
    check: readOnlyWritten.name,
    // JSON Schema expects the server to ignore or reject such a value. OpenAPI 3.0 has a rule for clients alone.
    severity: is30(version) ? 'suspect' : 'defect',
    place: `request body ${at}`,
    pointer: readPointer(root, keyword) === undefined ? pointer : keyword,
    keyword: 'readOnly',
    clause: clauseOf(version, 'readOnly'),
    message: `${at} is declared readOnly, but two values that the client sent were stored`,
    // An operation that stores one of them stores all.
    causes: [[pointer], [id]],
  };
}
