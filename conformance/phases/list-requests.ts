// Requests for lists: pages one after another, and items that the run creates for them.
import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import { isSame } from '../contract/document.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { enumOf } from '../resources/find-targets.ts';
import type { ListShape } from '../resources/list-shape.ts';
import { type Page, readPage } from '../resources/read-page.ts';
import { operationAt, plainPath } from '../resources/slots.ts';
import { isComplete, itemsOf, mostEmpty, type Walk } from '../resources/walk.ts';
import { schemasOf } from '../schema/canonical.ts';
import { creationAt, withNewNames } from './own-objects.ts';
import { type Bench, mayCallOften } from './probe.ts';
import { draftOfOther } from './request-objects.ts';
import { acceptsUnknown } from './story.ts';
import { isSendable } from './text-places.ts';

/** Items of a large page, and items of the whole list that are read. */
const [mostOfPage, mostOfWhole] = [100, 60];

/** The largest page that the runner asks for; undefined if the list has no parameter for it. */
export function largestOf({ limit }: Pick<ListShape, 'limit'>): number | undefined {
  return limit && Math.min(limit.most, Math.max(mostOfPage, limit.least));
}

/** The optional parameters of the query. */
export function optionalOf({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query' && !one.required);
}

/** The values of a parameter that may have only a few, such as an enum; of a boolean, `true`. */
export function fewValuesOf(contract: Contract, { schema }: Parameter): readonly unknown[] {
  if (schema === undefined) return [];
  const { request } = schemasOf(contract).forms;
  const types = [...request.common(request.at(schema)).types].filter((type) => type !== 'null');
  return types.length === 1 && types[0] === 'boolean' ? [true] : enumOf(contract, schema);
}

/** The accepted request with other values of some parameters; undefined removes one. */
export function withValues(draft: Draft, values: readonly (readonly [Parameter, unknown])[]): Draft {
  const others = draft.parameters.filter(({ parameter }) => !values.some(([changed]) => changed === parameter));
  const set = values.flatMap(([parameter, value]) => (value === undefined ? [] : [{ parameter, value }]));
  return { ...draft, parameters: [...others, ...set] };
}

/**
 * Creates items of the list that a probe is about, if the contract has a DELETE of them. The probe deletes them by `bench.undo`.
 *
 * @param vary changes the content of each, by its index: the first valid one is sent
 */
export async function createItems(
  { context, operation, send }: Bench,
  count: number,
  vary: (content: unknown, index: number) => readonly unknown[] = () => [],
): Promise<readonly Exchange[]> {
  const { contract, permissions } = context;
  const path = plainPath(operation.path);
  const draft = creationAt(context, path);
  const create = draft?.operation;
  const isRemovable = operationAt(contract, 'delete', `${path}/{}`) !== undefined;
  if (create === undefined || draft === undefined || !isRemovable || !mayCallOften(contract, create, permissions))
    return [];
  const created: Exchange[] = [];
  for (let index = 0; index < count; index += 1) {
    const { body } = draft;
    const varied =
      body === undefined ? [] : vary(body.value, index).map((value) => ({ ...draft, body: { ...body, value } }));
    // The value of a filter may have an effect in a create, or may be invalid there.
    const fit = varied.find(
      (one) => isSendable(context, one) && validityOf(context.judge, one, contract) !== 'invalid',
    );
    const tools = toolsFor(context, create, 'story', index);
    const sent = await send(withNewNames(tools, fit ?? draft, index + 1), 'create');
    if (sent === undefined || !isAccepted(sent)) break;
    created.push(sent);
  }
  return created;
}

/** Whether the server answers for an object that does not exist: a mock of examples has no list to judge. */
export async function isMock(bench: Bench): Promise<boolean> {
  const { context, operation, draft, ofOther, send } = bench;
  const item = operationAt(context.contract, 'get', `${plainPath(operation.path)}/{}`);
  const ask = (unknown: Draft) => send(plainDraft(unknown), 'unknown id', { polarity: 'grey' });
  return await acceptsUnknown(bench, (item && ofOther(item)) ?? draft, ask);
}

/**
 * The request for the whole list in its usual order; beneath the parent where a create was accepted, so that a story may add items: a
 * server may reject the same content beneath another one.
 */
export function wholeList({ context, operation, draft }: Bench): Draft {
  const create = creationAt(context, plainPath(operation.path));
  return plainDraft((create && draftOfOther(context, create, operation)) ?? draft);
}

/** The accepted request without optional parameters. */
export function plainDraft(draft: Draft): Draft {
  const parameters = draft.parameters.filter(({ parameter }) => parameter.required || parameter.in === 'path');
  return { ...draft, parameters };
}

export interface Walker {
  /** Sends the pages of a walk. @param wanted number of items after which it is over, if that is known */
  readonly walk: (role: string, size: number | undefined, mostPages: number, wanted?: number) => Promise<Walk>;
  readonly sendPage: (asked: Draft, role: string) => Promise<Page | undefined>;
  /** The request for the second page of a walk; undefined if it came to none. */
  readonly secondOf: (role: string) => Draft | undefined;
  readonly exchanges: readonly Exchange[];
}

/** @param base the request for the first page, without its length */
export function createWalker({ send }: Pick<Bench, 'send'>, shape: ListShape, base: Draft): Walker {
  const { step, limit } = shape;
  const exchanges: Exchange[] = [];
  const seconds = new Map<string, Draft>();
  /** The number of the first page, as the contract or the answers show it. */
  let first = step?.kind === 'page' ? step.first : undefined;

  const sendPage: Walker['sendPage'] = async (asked, role) => {
    const sent = await send(asked, role);
    if (sent === undefined) return undefined;
    exchanges.push(sent);
    return readPage(shape, sent);
  };

  /** @param before the pages so far */
  const nextDraft = (
    start: Draft,
    size: number | undefined,
    before: readonly Page[],
    wanted: number | undefined,
  ): Draft | undefined => {
    const last = before.at(-1);
    if (step === undefined || last === undefined) return undefined;
    if (step.kind === 'page') return withValues(start, [[step.send, (first ?? 0) + before.length]]);
    if (step.kind === 'offset') {
      // A server may keep pages shorter than asked for.
      const count = before.reduce((sum, { items }) => sum + items.length, 0);
      return withValues(start, [[step.send, wanted === undefined ? count : (size ?? 0) * before.length]]);
    }
    if (last.next === undefined) return undefined;
    return step.kind === 'cursor'
      ? withValues(start, [[step.send, last.next]])
      : { ...start, edits: { path: String(last.next) } };
  };

  const walk: Walker['walk'] = async (role, size, mostPages, wanted) => {
    const sized = limit === undefined ? base : withValues(base, [[limit.parameter, size]]);
    // The whole list is read without a place: it has to begin where the first page does.
    const begin = step?.kind === 'offset' ? 0 : first;
    const isCounted = (step?.kind === 'page' || step?.kind === 'offset') && wanted !== undefined && begin !== undefined;
    const start = isCounted ? withValues(sized, [[step.send, begin]]) : sized;
    const pages: Page[] = [];
    let asked: Draft | undefined = start;
    while (asked !== undefined && pages.length < mostPages) {
      const page = await sendPage(asked, role);
      if (page === undefined) break;
      pages.push(page);
      if (isOver(shape, { pages, size }, wanted)) break;
      if (step?.kind === 'page' && first === undefined) first = await findFirst(start, page);
      asked = nextDraft(start, size, pages, wanted);
      if (pages.length === 1 && asked !== undefined) seconds.set(role, asked);
    }
    return { pages, size };
  };

  /** Page 1 is the first one if it is equal to that of a request without a number. */
  const findFirst = async (start: Draft, page: Page): Promise<0 | 1> => {
    if (step?.kind !== 'page') return 0;
    const one = await sendPage(withValues(start, [[step.send, 1]]), 'page 1');
    return one !== undefined && isSame(one.items, page.items) ? 1 : 0;
  };

  return { walk, sendPage, secondOf: (role) => seconds.get(role), exchanges };
}

/** Whether a walk needs no further page. */
function isOver(shape: ListShape, walk: Walk, wanted: number | undefined): boolean {
  const { pages, size } = walk;
  const count = itemsOf(walk).length;
  const isByCursor = shape.step?.kind === 'cursor' || shape.step?.kind === 'link';
  const last = pages.at(-1);
  if (wanted === undefined && count >= mostOfWhole) return true;
  if (isByCursor) {
    const empty = pages.slice(-mostEmpty);
    // A walk that begins again is over with the first page of its repetition.
    const isAgain = wanted !== undefined && count > wanted;
    return isAgain || (empty.length === mostEmpty && empty.every(({ items }) => items.length === 0));
  }
  if (last?.items.length === 0 || (wanted === undefined && isComplete(shape, walk))) return true;
  return wanted !== undefined && (count >= wanted || pages.length >= Math.ceil(wanted / (size ?? 1)) + 2);
}
