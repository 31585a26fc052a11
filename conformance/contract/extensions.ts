import { isObject, type JsonObject, memberOf, objectAt, textAt } from './document.ts';

/** Extensions of an operation that the runner understands, all optional. Only this file reads them. */
export interface OperationExtensions {
  /** The effect of the call beyond the API: `physical`, `remote`. */
  readonly effect: string | undefined;
  readonly byValue: readonly ByValue[];
  /** Whether a repeated call has no second effect; the contract describes how. */
  readonly isIdempotent: boolean;
  /** The header whose value marks repetitions of a request; undefined if equal requests are repetitions. */
  readonly idempotencyKey: string | undefined;
  /** The time after which every read shows a write, as in `PT5S`; undefined if the contract states none. */
  readonly consistency: string | undefined;
  /** Whether every account gets the same answer. */
  readonly isShared: boolean;
  readonly pagination: Pagination | undefined;
  readonly states: StateMachine | undefined;
  readonly quota: Quota | undefined;
}

/** The number of calls that the server accepts within any window. */
export interface Quota {
  /** In the answer to a further call; undefined if none is declared. */
  readonly code: string | undefined;
  readonly limit: number;
  /** A duration, as in `PT60S`. */
  readonly window: string;
  /** A parameter, `account` or `client`: each of its values has a quota of its own. */
  readonly per: string | undefined;
}

/** The states of the object that an operation reads. Every place is a JSON pointer in the answer. */
export interface StateMachine {
  readonly field: string;
  /** True at the end; undefined if the states without a next one are the end. */
  readonly done: string | undefined;
  /** The time by which the object is at its end. */
  readonly deadline: string | undefined;
  /** The duration after which a client may read again, as in `PT2S`. */
  readonly every: string | undefined;
  readonly next: Readonly<Record<string, readonly string[]>>;
}

/** How a list is divided into pages, filtered and ordered. Every place is a JSON pointer: in the answer, or in one of its items. */
export interface Pagination {
  readonly cursor: { readonly send: string; readonly read: string; readonly end: string | null };
  /** The parameter for the length of a page. */
  readonly limit: string | undefined;
  readonly items: string;
  readonly key: string;
  /** By parameter. `from`: this value and later ones; `before`: earlier ones only. */
  readonly filters: Readonly<Record<string, { readonly field: string; readonly is: string }>>;
  readonly sort:
    | { readonly send: string; readonly values: Readonly<Record<string, readonly [field: string, direction: string]>> }
    | undefined;
}

interface ByValue {
  /** Runtime expression of the value. */
  readonly at: string;
  readonly cases: readonly {
    /** Compared as text. */
    readonly values: readonly string[];
    readonly scopes: readonly string[];
    readonly effect: string | undefined;
    /** Maps a location in the body to the pointer of the schema that applies there. */
    readonly schemas: Readonly<Record<string, string>>;
  }[];
}

/** A rule beyond the schema, with a recipe for a valid value: a value from elsewhere, plus a duration, rounded down. */
interface Rule {
  readonly from: string;
  readonly add: string | undefined;
  readonly round: string | undefined;
}

export function readOperationExtensions(operation: JsonObject): OperationExtensions {
  return {
    effect: textAt(operation, 'x-effect'),
    byValue: list(operation['x-by-value']).map(readByValue),
    isIdempotent: operation['x-idempotency'] !== undefined,
    idempotencyKey: textAt(operation['x-idempotency'], 'header'),
    consistency: textAt(operation, 'x-consistency'),
    isShared: operation['x-shared'] === true,
    pagination: readPagination(operation['x-pagination']),
    states: readStates(operation['x-state']),
    quota: readQuota(operation['x-quota']),
  };
}

export function readRule(rule: unknown): Rule | undefined {
  const good = isObject(rule) ? rule.good : undefined;
  const from = textAt(good, 'from');
  return from === undefined ? undefined : { from, add: textAt(good, 'add'), round: textAt(good, 'round') };
}

/** Statuses in the order of the checks: of several faults in a request, the first in the list is answered. */
export function readPrecedence(root: JsonObject): readonly number[] {
  const order = root['x-precedence'];
  return Array.isArray(order) ? order.map(Number) : [];
}

/** The status of the answer to a value that the schema of the parameter rejects; undefined if the parameter declares none. */
export function readInvalidStatus(parameter: JsonObject): number | undefined {
  const status = parameter['x-invalid-status'];
  return typeof status === 'number' ? status : undefined;
}

/** The error codes that a response can have; empty if it lists none. */
export function readErrorCodes(response: JsonObject): readonly string[] {
  return texts(response['x-error-codes']);
}

/** Whether a member of an error has the code for programs. */
export function isErrorCode(schema: JsonObject): boolean {
  return schema['x-fault'] === 'code';
}

export function ruleOf(schema: unknown): unknown {
  return isObject(schema) ? schema['x-rule'] : undefined;
}

/** Whether an answer may contain values that the enum does not list. */
export function isOpenEnum(schema: JsonObject): boolean {
  return schema['x-open-enum'] === true;
}

/** Whether a value is a secret: every output redacts it, and no other answer may contain it. */
export function isSensitive(schema: JsonObject): boolean {
  return schema['x-sensitive'] === true;
}

/** Whether a value may differ between two reads without a write. */
export function isVolatile(schema: JsonObject): boolean {
  return schema['x-volatile'] === true;
}

/** @returns undefined if a required member is missing: the list is then read like one without the extension */
function readPagination(value: unknown): Pagination | undefined {
  const cursor = objectAt(value, 'cursor');
  const [send, read, items, key] = [
    textAt(cursor, 'send'),
    textAt(cursor, 'read'),
    textAt(value, 'items'),
    textAt(value, 'key'),
  ];
  if (send === undefined || read === undefined || items === undefined || key === undefined) return undefined;
  const sort = objectAt(value, 'sort');
  const sentSort = textAt(sort, 'send');
  const filters = Object.entries(objectAt(value, 'filters')).map(([name, filter]) => {
    return [name, { field: textAt(filter, 'field') ?? '', is: textAt(filter, 'is') ?? '' }];
  });
  const orders = Object.entries(objectAt(sort, 'values')).map(([name, order]) => [name, texts(order)]);
  return {
    cursor: { send, read, end: textAt(cursor, 'end') ?? null },
    ...{ limit: textAt(value, 'limit'), items, key },
    filters: Object.fromEntries(filters),
    sort: sentSort === undefined ? undefined : { send: sentSort, values: Object.fromEntries(orders) },
  };
}

/** @returns undefined if a required member is missing */
function readStates(value: unknown): StateMachine | undefined {
  const field = textAt(value, 'field');
  const next = Object.entries(objectAt(value, 'next')).map(([state, others]) => [state, texts(others)]);
  if (field === undefined || next.length === 0) return undefined;
  const [done, deadline, every] = ['done', 'deadline', 'every'].map((name) => textAt(value, name));
  return { field, done, deadline, every, next: Object.fromEntries(next) };
}

/** @returns undefined if limit or window is missing */
function readQuota(value: unknown): Quota | undefined {
  const [limit, window] = [memberOf(value, 'limit'), textAt(value, 'window')];
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || window === undefined) return undefined;
  return { limit, window, code: textAt(value, 'code'), per: textAt(value, 'per') };
}

function readByValue(entry: JsonObject): ByValue {
  return {
    at: textAt(entry, 'at') ?? '',
    cases: list(entry.cases).map((item) => ({
      values: texts(item.values),
      scopes: texts(item.scopes),
      effect: textAt(item, 'effect'),
      schemas: Object.fromEntries(
        Object.entries(isObject(item.schemas) ? item.schemas : {}).map(([place, schema]) => [place, String(schema)]),
      ),
    })),
  };
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
