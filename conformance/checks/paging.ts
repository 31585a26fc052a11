// Pages of a list: verdicts on the walks that the probe `pages` sends.
import type { Exchange, NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { type Page, readPage } from '../resources/read-page.ts';
import {
  cursorDeviation,
  type Deviation,
  deviationOf,
  isSameList,
  type PageLaw,
  totalDeviation,
  type Walk,
  withoutRestart,
} from '../resources/walk.ts';
import type { TraceCheck } from './check.ts';
import { judgeFilter } from './filters.ts';
import { exchangesOf, ofRepetition } from './parts.ts';

/** Roles of the requests of the probe `pages`; those of one role are the pages of one walk. */
export const pageRoles = {
  /** The list in pages as large as possible. */
  whole: 'the whole list',
  /** The same after the run has added items. */
  grown: 'the whole list with new items',
  of: (size: number): string => `pages of ${size}`,
  /** The second page of the first walk, by the same cursor. */
  second: 'the second page once more',
  /** The whole list after the repeated walks. */
  end: (time: number): string => `the whole list at the end, ${time}`,
} as const;

/** The role of a walk that is repeated. */
export function again(role: string): string {
  return `${role}${ofRepetition}`;
}

/** A walk with the exchanges of its pages. */
interface SentWalk<Kind extends Exchange> extends Walk {
  readonly role: string;
  readonly exchanges: readonly Kind[];
}

/** The walks of a probe, either all first ones or all repetitions. */
export interface Walks<Kind extends Exchange = Exchange> {
  /** The list in large pages, with which the others are compared. */
  readonly whole: SentWalk<Kind>;
  readonly others: readonly SentWalk<Kind>[];
  readonly second: Page | undefined;
  /** The list in large pages after repeated walks: a list of two items without an order may have the same one by chance. */
  readonly ends: readonly Walk[];
}

/** @returns undefined if no answer has the whole list */
export function readWalks<Kind extends Exchange>(
  shape: ListShape,
  trace: readonly Kind[],
  isRepetition: boolean,
): Walks<Kind> | undefined {
  const own = trace.filter(({ operation, intent }) => {
    const { role = '' } = intent.probe ?? {};
    return operation === shape.operation && role.endsWith(ofRepetition) === isRepetition;
  });
  const byRole = Map.groupBy(own, ({ intent }) => intent.probe?.role.replace(ofRepetition, '') ?? '');
  const walks = [...byRole].flatMap(([role, exchanges]) => walkOf(shape, role, exchanges) ?? []);
  const of = (role: string): SentWalk<Kind> | undefined => walks.find((walk) => walk.role === role);
  const whole = of(pageRoles.grown) ?? of(pageRoles.whole);
  const beginning = (begin: string) => walks.filter(({ role }) => role.startsWith(begin.slice(0, -1)));
  const [others, ends] = [beginning(pageRoles.of(0)), beginning(pageRoles.end(0))];
  return whole && { whole, others, ends, second: of(pageRoles.second)?.pages[0] };
}

/** An answer that is no page is the end of its walk. */
function walkOf<Kind extends Exchange>(
  shape: ListShape,
  role: string,
  exchanges: readonly Kind[],
): SentWalk<Kind> | undefined {
  const read = exchanges.map((one) => readPage(shape, one));
  const end = read.includes(undefined) ? read.indexOf(undefined) : read.length;
  const pages = read.slice(0, end).filter((page): page is Page => page !== undefined);
  const size = shape.limit && exchanges[0]?.seen.query[shape.limit.parameter.name];
  return end === 0
    ? undefined
    : { role, pages, exchanges: exchanges.slice(0, end), size: typeof size === 'number' ? size : undefined };
}

/** A law that a walk breaks. */
interface FoundDeviation<Kind extends Exchange> {
  readonly walk: SentWalk<Kind>;
  readonly deviation: Deviation;
}

export function deviationsIn<Kind extends Exchange>(
  shape: ListShape,
  { whole, others, second }: Walks<Kind>,
): readonly FoundDeviation<Kind>[] {
  const { list, restart } = withoutRestart(shape, whole);
  return [whole, ...others].flatMap((walk) => {
    const broken =
      walk === whole && restart !== undefined ? restartDeviation(shape, restart) : deviationOf(shape, list, walk);
    const found =
      broken === undefined
        ? [
            totalDeviation(shape, walk),
            second !== undefined && walk === others[0] ? cursorDeviation(shape, walk, second) : undefined,
          ]
        : [broken];
    return found.flatMap((deviation) => (deviation === undefined ? [] : { walk, deviation }));
  });
}

function restartDeviation({ step }: ListShape, page: number): Deviation {
  const isCounted = step?.kind === 'page' || step?.kind === 'offset';
  return { law: isCounted ? 'page-duplicate' : 'page-ends', page, message: `page ${page + 1} begins the list again` };
}

/** The walks can show the law: without a total in the answer, none is wrong. */
const isJudged: Readonly<Record<PageLaw, (shape: ListShape, walks: Walks) => boolean>> = {
  'page-size': ({ limit }) => limit !== undefined,
  'page-ends': ({ step }) => step?.kind === 'cursor' || step?.kind === 'link',
  'page-duplicate': ({ step }, walks) => step !== undefined && hasSecondPage(walks),
  'page-gap': (_, walks) => walks.others.length > 0,
  'limit-neutral': (_, walks) => walks.others.length > 0,
  'page-total': (_, { whole }) => whole.pages.some(({ total }) => total !== undefined),
  'page-cursor': (_, { second }) => second !== undefined,
};

function hasSecondPage({ whole, others }: Walks): boolean {
  return [whole, ...others].some(({ pages }) => pages.length > 1);
}

type Texts = Pick<TraceCheck, 'about' | 'effect' | 'example' | 'fix' | 'allow'>;

function pageCheck(law: PageLaw, texts: Texts): TraceCheck {
  return {
    kind: 'trace',
    name: law,
    ...texts,
    clauses: ['x-pagination', 'OpenAPI, Parameter Object', 'OpenAPI, Responses Object', 'RFC 8288'],
    plan: () => [],
    needs: () => 'list with enough items for two pages',
    judge: (trace, { contract }) => {
      const own = exchangesOf(trace, law);
      const [some] = own;
      const shape = some && listShapeOf(contract, own.find(isOfList)?.operation ?? some.operation);
      const first = shape && readWalks(shape, own, false);
      if (shape === undefined || first === undefined || !isJudged[law](shape, first)) return [];
      const place = some?.intent.probe?.name ?? '';
      const broken = deviationsIn(shape, first).filter(({ deviation }) => deviation.law === law);
      const shown = first.whole.exchanges[0];
      if (broken.length === 0) return shown === undefined ? [] : [{ place, failures: [], exchange: shown }];
      const second = readWalks(shape, own, true);
      // A list may grow while it is read: only what repeats while the list stays as it is counts.
      const readings = second === undefined ? [] : [second.whole, ...second.ends];
      if (second === undefined || !readings.every((one) => isSameList(shape, first.whole, one))) return [];
      const repeated = deviationsIn(shape, second).find(
        ({ walk, deviation }) => deviation.law === law && broken.some((one) => one.walk.size === walk.size),
      );
      const exchange = repeated?.walk.exchanges[repeated.deviation.page];
      if (repeated === undefined || exchange === undefined) return [];
      return [{ place, exchange, failures: [failureOf(shape, repeated.deviation, exchange)] }];
    },
  };
}

function isOfList({ operation, intent }: NumberedExchange): boolean {
  return operation.id === intent.probe?.operation;
}

/** Laws that only `x-pagination` promises: a total may be an estimate, a cursor may serve once, and a usual order may be by relevance. */
const unpromised: ReadonlySet<string> = new Set(['page-total', 'page-cursor', 'limit-neutral']);

function failureOf(shape: ListShape, { law, message }: Deviation, { operation }: NumberedExchange): Failure {
  const { limit, step, isDeclared } = shape;
  const send = step !== undefined && 'send' in step ? step.send : undefined;
  const parameter = law === 'page-size' || law === 'limit-neutral' ? limit?.parameter : (send ?? limit?.parameter);
  const [pointer, keyword, clause] = isDeclared
    ? [`${operation.pointer}/x-pagination`, 'x-pagination', 'x-pagination']
    : law === 'page-total'
      ? [shape.total?.pointer ?? operation.pointer, 'total', 'OpenAPI, Responses Object']
      : parameter === undefined
        ? [operation.pointer, 'next', 'RFC 8288 3.3']
        : [parameter.pointer, parameter.name, 'OpenAPI, Parameter Object'];
  return {
    check: law,
    severity: isDeclared || !unpromised.has(law) ? 'defect' : 'suspect',
    place: parameter === undefined ? 'pages' : `query ${parameter.name}`,
    ...{ pointer, keyword, clause, message },
    causes: [[law, pointer]],
  };
}

export const pageSize = pageCheck('page-size', {
  about: 'a page has more items than the request asked for',
  effect: 'Clients that reserve room or time for a page get the whole list, and large lists exhaust both sides.',
  example: { sent: 'GET /books?limit=2', answered: '200 with 3 items' },
  fix: 'Apply the limit to the query that reads the items, also with filters and with a cursor.',
  allow: 'Remove the parameter, or give its schema the lengths that the server keeps (minimum, maximum, enum).',
});

export const pageEnds = pageCheck('page-ends', {
  about: 'a walk from page to page does not end, or its last page does not say so',
  effect: 'Clients that follow the pages never stop, or stop too early.',
  example: {
    sent: 'GET /books?limit=2&cursor=c2, the last page',
    answered: '200 {"items":[…],"next":"c1"}; c1 is the first page',
  },
  fix: 'Answer no cursor on the last page: read one item more than the page has to see whether any follows.',
  allow: 'Declare the value of the last page as the end of x-pagination.',
});

export const pageDuplicate = pageCheck('page-duplicate', {
  about: 'an item is on two pages of one walk',
  effect: 'Clients process an item twice: they book, count or send it again.',
  example: { sent: 'GET /books?limit=1&page=2', answered: '200 with the book of page 1' },
  fix: 'Begin a page after the last item of the page before, in an order without ties: add the id as the last sort key.',
  allow: 'None: pages of one list have each item once.',
});

export const pageGap = pageCheck('page-gap', {
  about: 'an item of the list is on no page',
  effect: 'Clients never see some items, without any error.',
  example: { sent: 'GET /books?limit=2 and its next pages', answered: 'b1, b2, b4; limit=100 has b3 too' },
  fix: 'Compute the beginning of a page from the length of the pages before, and compare ties with the id too.',
  allow: 'None: pages of one list have each item once.',
});

export const pageTotal = pageCheck('page-total', {
  about: 'the stated number of items differs from the items on all pages',
  effect: 'Clients that compute the number of pages ask for too few or too many of them.',
  example: { sent: 'GET /books?limit=1', answered: '200 {"items":[…],"total":1}; a walk has 3 items' },
  fix: 'Count with the filter of the list and without its limit.',
  allow: 'Name the member otherwise if it counts something else, such as the items of the page.',
});

export const limitNeutral = pageCheck('limit-neutral', {
  about: 'the order of the items depends on the length of the page',
  effect: 'Clients that change the length of the page skip items or see them twice.',
  example: { sent: 'GET /books?limit=1', answered: '200 with b3; limit=100 begins with b1' },
  fix: 'Sort before the limit is applied, by the same keys in every query.',
  allow: 'None where an order is documented. Without one, the finding is inconclusive.',
});

const cursorOfWalks = pageCheck('page-cursor', {
  about: 'a cursor leads to other items when it is sent once more, or to items outside of its filter',
  effect:
    'Clients that repeat a page after a lost connection skip items, and filtered walks show items that were not asked for.',
  example: { sent: 'GET /books?limit=1&cursor=c1, twice', answered: '200 with b2, and then 200 with b3' },
  fix: 'Let the cursor contain the place in the order and the filter, and keep no place of the client on the server.',
  allow: 'None: a cursor names one place of a list.',
});

export const pageCursor: TraceCheck = {
  ...cursorOfWalks,
  judge: (trace, context) => [...cursorOfWalks.judge(trace, context), ...judgeFilter(trace, context, 'page-cursor')],
};
