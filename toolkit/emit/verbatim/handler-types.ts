// What handlers.gen.ts says of every contract. Here the payments contract stands for all, so that it is checked and linted.

import type { Requests, Responses } from '../../fixtures/payments/generated/handlers.gen.ts';
import type { OperationId, operations as table } from '../../fixtures/payments/generated/operations.gen.ts';
import type { StatusRange } from './status-range.ts';

// Copied from here on.

export type Nothing = Readonly<Record<never, never>>;

/**
 * Read-only at any depth: nobody writes to what a handler is given, and what it answers may be kept elsewhere. The types of the wire
 * are open, since whoever builds an answer or reads one owns it.
 */
export type ReadonlyDeep<Given> = unknown extends Given
  ? Given
  : Given extends Primitive
    ? Given
    : { readonly [Key in keyof Given]: ReadonlyDeep<Given[Key]> };

/**
 * What was left out is filled in. An intersection, so that a choice between bodies still narrows; each for itself, since one of them may be
 * null or lack the member.
 */
export type WithDefaults<Given, Filled extends PropertyKey> = Given extends Primitive
  ? Given
  : Given & { readonly [Name in Filled & keyof Given]-?: Exclude<Given[Name], undefined> };

/** Each member of a union for itself, unlike `Omit`, and without opening what is closed. */
export type Without<Given, Names extends PropertyKey> = Given extends unknown
  ? { readonly [Name in keyof Given as Name extends Names ? never : Name]: Given[Name] }
  : never;

export type LowerCaseKeys<Given> = {
  readonly [Name in keyof Given as Name extends string ? Lowercase<Name> : Name]: Given[Name];
};

type Security<Id extends OperationId> = (typeof table)[Id]['security'];

/** Nobody where the operation is anonymous, perhaps nobody where that is one of the alternatives. */
type PrincipalOf<Id extends OperationId, Principal> =
  Security<Id> extends readonly []
    ? undefined
    : Nothing extends Security<Id>[number]
      ? Principal | undefined
      : Principal;

type MaybePromise<Value> = Value | Promise<Value>;

export type HandlerRequest<Id extends OperationId, Principal = unknown> = Requests[Id] & {
  readonly principal: PrincipalOf<Id, Principal>;
  /** The one that the answer carries, for audits and logs. */
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

/** `Given` where it has no member beyond `Declared`, at any depth; `never` at each one that is too many. Nothing is, where anything may stand. */
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

/** An answer with an undeclared status is compared with the declared statuses alone: so the compiler names all of them. */
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
 * The declared answers as a bound for inference. TypeScript has a check of its own for objects whose members are all optional, gives up
 * inference where it fails, and then skips it in an intersection. `& object` takes the check away: the answer is inferred as written,
 * and `Exact` judges it.
 */
type Open<Declared> = unknown extends Declared
  ? Declared
  : Declared extends Primitive
    ? Declared
    : Declared extends readonly (infer Item)[]
      ? readonly Open<Item>[]
      : { readonly [Key in keyof Declared]: Open<Declared[Key]> } & object;

/** Within the bound too, or the compiler would compare it with one declared answer. `ExactAnswer` refuses it. */
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
 * Some of the handlers, checked more strictly than an assignment would: TypeScript lets a function return a wider object than its type
 * declares, and that member would leave the service. One hole stays: of two returns that differ by one member alone TypeScript keeps the
 * narrower type before anything is inferred. Responses are therefore checked at run time too. Curried, so that the principal is named and
 * the rest is inferred, the operations from the names of the handlers: `definePart<Account>()({ getThing: … })`. Spread the parts into
 * `defineHandlers`.
 */
export function definePart<Principal = unknown>() {
  return <const Given extends Partial<OpenHandlers<Principal, OperationId>>>(
    handlers: Given & ExactHandlers<Given, Principal>,
  ) => handlers as unknown as Handlers<Principal, keyof Given & OperationId>;
}

/** All of the handlers, or all that are named, checked the same way: an operation left out does not compile. */
export function defineHandlers<Principal = unknown, Ids extends OperationId = OperationId>() {
  return <const Given extends OpenHandlers<Principal, Ids>>(handlers: Given & ExactHandlers<Given, Principal>) =>
    handlers as unknown as Handlers<Principal, Ids>;
}
