// The part of handlers.gen.ts that is the same for every contract. Here the types of the payments contract let it be checked and linted.

import type { Requests, Responses } from '../../fixtures/payments/generated/handlers.gen.ts';
import type { OperationId, operations as table } from '../../fixtures/payments/generated/operations.gen.ts';
import type { StatusRange } from './status-range.ts';

// Copied from here on.

export type Nothing = Readonly<Record<never, never>>;

/**
 * Read-only at any depth: a handler does not change its request, and may answer an object that is kept elsewhere. The types of the wire are
 * mutable, since a program owns the messages that it builds or reads.
 */
export type ReadonlyDeep<Given> = unknown extends Given
  ? Given
  : Given extends Primitive
    ? Given
    : { readonly [Key in keyof Given]: ReadonlyDeep<Given[Key]> };

/**
 * Members with a default are present. An intersection, so that a choice between bodies still narrows. It distributes over the bodies, since one of
 * them may be null or lack the member.
 */
export type WithDefaults<Given, Filled extends PropertyKey> = Given extends Primitive
  ? Given
  : Given & { readonly [Name in Filled & keyof Given]-?: Exclude<Given[Name], undefined> };

/** Like `Omit`, but for each member of a union, and closed types stay closed. */
export type Without<Given, Names extends PropertyKey> = Given extends unknown
  ? { readonly [Name in keyof Given as Name extends Names ? never : Name]: Given[Name] }
  : never;

export type LowerCaseKeys<Given> = {
  readonly [Name in keyof Given as Name extends string ? Lowercase<Name> : Name]: Given[Name];
};

type Security<Id extends OperationId> = (typeof table)[Id]['security'];

/** Undefined if the operation is anonymous, optional if anonymous access is one of the alternatives. */
type PrincipalOf<Id extends OperationId, Principal> =
  Security<Id> extends readonly []
    ? undefined
    : Nothing extends Security<Id>[number]
      ? Principal | undefined
      : Principal;

type MaybePromise<Value> = Value | Promise<Value>;

export type HandlerRequest<Id extends OperationId, Principal = unknown> = Requests[Id] & {
  readonly principal: PrincipalOf<Id, Principal>;
  /** The id that the answer carries too, for audits and logs. */
  readonly requestId: string;
};

export type Handler<Id extends OperationId, Principal = unknown> = (
  request: HandlerRequest<Id, Principal>,
) => MaybePromise<Responses[Id]>;

/** One handler per operation. */
export type Handlers<Principal = unknown, Ids extends OperationId = OperationId> = {
  readonly [Id in Ids]: Handler<Id, Principal>;
};

/** The operations below one base path, `OperationIdsAt<'/v1'>`. */
export type OperationIdsAt<BasePath extends (typeof table)[OperationId]['basePath']> = {
  [Id in OperationId]: (typeof table)[Id]['basePath'] extends BasePath ? Id : never;
}[OperationId];

type Primitive = string | number | boolean | bigint | symbol | null | undefined;
type Matching<Given, Declared> = Declared extends unknown ? (Given extends Declared ? Declared : never) : never;
type KeysOf<Value> = Value extends unknown ? keyof Value : never;
type MemberOf<Value, Key extends PropertyKey> = Value extends unknown
  ? Key extends keyof Value
    ? Value[Key]
    : never
  : never;

/** `Given`, with `never` at each member that `Declared` lacks, at any depth. An unknown `Declared` lacks none. */
type Exact<Given, Declared> = unknown extends Declared
  ? Given
  : Given extends Primitive
    ? Given
    : Given extends readonly (infer Item)[]
      ? readonly Exact<Item, Extract<Declared, readonly unknown[]>[number]>[]
      : {
          [Key in keyof Given]: Key extends KeysOf<Matching<Given, Declared>>
            ? Exact<Given[Key], MemberOf<Matching<Given, Declared>, Key>>
            : never;
        };

type ExactHandlers<Given, Principal> = {
  [Id in keyof Given]: Id extends OperationId ? ExactHandler<Given[Id], Id, Principal> : never;
};

/** Distributes over a union, because the type of an optional handler includes `undefined`. */
type ExactHandler<Given, Id extends OperationId, Principal> = Given extends (...input: never) => infer Answer
  ? (request: HandlerRequest<Id, Principal>) => ExactAnswer<Answer, Responses[Id]>
  : never;

/** Compares an answer of an undeclared status only with the declared statuses, so that the compiler lists all of them. */
type ExactAnswer<Answer, Declared extends { readonly status: unknown }> = [Awaited<Answer>] extends [
  DeclaredStatus<Declared['status']>,
]
  ? MaybePromise<Exact<Awaited<Answer>, Declared>>
  : Answer extends Promise<unknown>
    ? Promise<DeclaredStatus<Declared['status']>>
    : DeclaredStatus<Declared['status']>;

interface DeclaredStatus<Status> {
  readonly status: Status;
}

/**
 * The declared answers as a bound for inference. TypeScript has an extra check for objects whose members are all optional. If it fails, TypeScript
 * gives up inference, and then skips the check in an intersection. `& object` turns it off: the answer is inferred as written, and `Exact` checks it.
 */
type Open<Declared> = unknown extends Declared
  ? Declared
  : Declared extends Primitive
    ? Declared
    : Declared extends readonly (infer Item)[]
      ? readonly Open<Item>[]
      : { readonly [Key in keyof Declared]: Open<Declared[Key]> } & object;

/** Part of the bound, or the compiler would compare such an answer with one declared answer. `ExactAnswer` rejects it. */
interface UndeclaredAnswer<Status> {
  readonly status: Exclude<StatusRange, Status>;
  readonly headers?: unknown;
  readonly mediaType?: unknown;
  readonly body?: unknown;
}

type OpenHandlers<Principal, Ids extends OperationId> = {
  readonly [Id in Ids]: (
    request: HandlerRequest<Id, Principal>,
  ) => MaybePromise<Open<Responses[Id]> | UndeclaredAnswer<Responses[Id]['status']>>;
};

/**
 * Some of the handlers, checked more strictly than by an assignment: TypeScript lets a function return a wider object than its type declares, and
 * the service would send the extra member. One gap stays: of two returns that differ in one member, TypeScript keeps the narrower type before
 * inference. So responses are checked at run time too. The function is curried: you name the principal, and the compiler infers the operations from
 * the names of the handlers: `definePart<Account>()({ getThing: … })`. Spread the parts into `defineHandlers`.
 */
export function definePart<Principal = unknown>() {
  return <const Given extends Partial<OpenHandlers<Principal, OperationId>>>(
    handlers: Given & ExactHandlers<Given, Principal>,
  ) => handlers as unknown as Handlers<Principal, keyof Given & OperationId>;
}

/** All handlers, or all that `Ids` names, checked in the same way: a missing operation does not compile. */
export function defineHandlers<Principal = unknown, Ids extends OperationId = OperationId>() {
  return <const Given extends OpenHandlers<Principal, Ids>>(handlers: Given & ExactHandlers<Given, Principal>) =>
    handlers as unknown as Handlers<Principal, Ids>;
}
