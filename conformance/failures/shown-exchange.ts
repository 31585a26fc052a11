// The exchanges that show a finding, as reports print them: without secrets, with long content cut around the place of the finding.
import { isUtf8 } from 'node:buffer';
import { splitPointer } from '../contract/document.ts';
import { counted } from '../contract/printable.ts';
import {
  type Answer,
  type NoAnswer,
  type NumberedExchange,
  nameIdentity,
  type Trace,
  undoRole,
} from '../execute/exchange.ts';
import { type CurlLine, curlLine } from './curl-line.ts';
import type { Failure } from './failure.ts';
import type { Redactor } from './redact.ts';

export interface ShownExchange {
  /** 1-based, in the order of the plan. */
  readonly number: number;
  readonly operation: string;
  /** Whether this request shows the failure; it is compared with the others. */
  readonly isJudged: boolean;
  /** Its role in a probe, as in `control`; the request variant of any other request. */
  readonly role: string;
  /** The credentials: `own`, `anonymous`, `second`, or how a token differs. */
  readonly identity: string;
  readonly method: string;
  /** Path and query beneath the base URL. */
  readonly path: string;
  readonly headers: readonly ShownHeader[];
  readonly body?: ShownBody;
  readonly answer: ShownAnswer;
  readonly curl: string;
}

export type ShownHeader = readonly [name: string, value: string];

export interface ShownAnswer {
  /** 0 if no answer came. */
  readonly status: number;
  readonly headers: readonly ShownHeader[];
  readonly body?: ShownBody;
  /** Why no answer came. */
  readonly fault?: string;
}

export interface ShownBody {
  readonly bytes: number;
  /** JSON is indented, and lists and long texts are cut. */
  readonly lines: readonly string[];
  /** 0-based index of the first and the last line of the value at the place of the finding. */
  readonly marked?: readonly [first: number, last: number];
}

/** The requests that a check compares: those of one probe up to the judged one, otherwise one request alone. */
export function turnOf(
  check: string,
  exchange: NumberedExchange,
  trace: Trace | undefined,
): readonly NumberedExchange[] {
  const { probe } = exchange.intent;
  if (probe === undefined || trace === undefined) return [exchange];
  // Once the fault is fixed, the server creates nothing that could be deleted. A replay undoes its own writes.
  const isPart = ({ intent, isPause, isAlone }: NumberedExchange): boolean =>
    intent.probe?.checks.includes(check) === true &&
    intent.probe.name === probe.name &&
    intent.probe.role !== undoRole &&
    !isPause &&
    isAlone !== true;
  return trace.filter((one) => one === exchange || isPart(one));
}

/** Exchanges of one finding: a probe rarely has more than six. */
const mostExchanges = 8;

/** Headers whose values are credentials, whether the run knows them or not. */
export const isCredential = /^(authorization|proxy-authorization|cookie|set-cookie)$/i;

type Redaction = Pick<Redactor, 'redact' | 'headerText' | 'pieces' | 'headerVariable' | 'meaningOf'>;

/**
 * The exchanges of a finding, with the curl line of the judged one and the variables of all lines.
 *
 * @param found with a place such as `response 200 body /payload/0/type`, `body /name`, or `request body /name` if a later read shows it
 */
export function showExchanges(
  judged: NumberedExchange,
  trace: Trace | undefined,
  { check, place }: Pick<Failure, 'check' | 'place'>,
  redaction: Redaction,
): {
  readonly exchanges: readonly ShownExchange[];
  readonly curl: string;
  readonly curlNeeds: CurlLine['needs'];
} {
  const turn = turnOf(check, judged, trace);
  const { line: curl, needs: own } = curlLine(judged.request, judged.operation, redaction);
  let curlNeeds = own;
  const [, part = '', pointer] = /^(?:(response|request)(?: \d+)? )?body (\/.*)$/.exec(place) ?? [];
  const path = pointer === undefined ? undefined : splitPointer(pointer);
  const ids = new Set(Object.values(judged.seen.path).map(String));
  const show = (exchange: NumberedExchange): ShownExchange => {
    const { number, operation, intent, request, outcome } = exchange;
    const line = curlLine(request, operation, redaction);
    curlNeeds = { ...curlNeeds, ...line.needs };
    return {
      ...{ number, operation: operation.id, isJudged: exchange === judged, role: intent.probe?.role ?? intent.label },
      ...{ identity: nameIdentity(intent.identity), method: request.method, path: redaction.redact(request.path) },
      headers: request.headers.map(([name, value]) => [
        name,
        isCredential.test(name) ? '***' : redaction.headerText(name, value),
      ]),
      ...(request.body !== undefined && {
        body: showBody(request.body, redaction.redact, part === 'response' ? {} : { path }),
      }),
      // A value that was sent may be read later; a missing member of an answer is a fault only in the judged one.
      answer: showAnswer(outcome, redaction.redact, {
        ids,
        ...(part !== '' && { path, isOptional: part === 'request' || exchange !== judged }),
      }),
      curl: line.line,
    };
  };
  const shown = turn.filter((one) => repetitionOf(one) === repetitionOf(judged));
  const exchanges = near(shown, shown.indexOf(judged)).map(show);
  return { exchanges, curl, curlNeeds };
}

/** The ending of a role in a repetition by which a check confirms a failure. The reader needs one of the two. */
export function repetitionOf({ intent: { probe } }: NumberedExchange): string {
  return /, (second object|again)$/.exec(probe?.role ?? '')?.[0] ?? '';
}

/** Exchanges kept after the judged one: a read, which shows what it has changed. */
const mostAfter = 1;

/** The first exchange of a long turn, which often creates the object, and those around the judged one. */
function near(turn: readonly NumberedExchange[], at: number): readonly NumberedExchange[] {
  const end = Math.min(turn.length, Math.max(at + 1 + mostAfter, mostExchanges));
  return turn.slice(0, end).filter((_, index) => index === 0 || index > end - mostExchanges);
}

/** The part of a body that a reader looks for. */
interface Sought {
  /** Tokens of the marked value. */
  readonly path?: readonly string[] | undefined;
  /** Nothing is marked if the value is missing; otherwise the object that lacks it. */
  readonly isOptional?: boolean;
  /** Ids of the judged request: a list keeps the items that have one. */
  readonly ids?: ReadonlySet<string>;
}

function showAnswer(outcome: Answer | NoAnswer, redact: (text: string) => string, sought: Sought): ShownAnswer {
  if (outcome.kind === 'none') return { status: 0, headers: [], fault: redact(outcome.message) };
  const { status, headers, body } = outcome;
  return {
    status,
    headers: headers.map(([name, value]) => [name, isCredential.test(name) ? '***' : redact(value)]),
    ...(body.length > 0 && { body: showBody(body, redact, sought) }),
  };
}

/** Characters and lines of content that is not JSON, and lines of JSON. */
const most = { characters: 4_000, lines: 40, jsonLines: 150 } as const;

function showBody(body: Buffer, redact: (text: string) => string, sought: Sought): ShownBody {
  const bytes = body.length;
  if (!isUtf8(body)) return { bytes, lines: [`(${bytes} bytes of binary content)`] };
  // Redaction comes before the cut: a part of a secret would not be recognised.
  const text = redact(body.toString());
  const parsed = parseExactly(text);
  if (parsed !== undefined) return { bytes, ...outline(parsed.value, sought) };
  const lines = text.slice(0, most.characters).split('\n');
  const isCut = text.length > most.characters || lines.length > most.lines;
  return { bytes, lines: [...lines.slice(0, most.lines), ...(isCut ? ['…'] : [])] };
}

/** Parses JSON, and keeps the spelling of numbers such as `9007199254740993` or `1.0`. */
function parseExactly(text: string): { readonly value: unknown } | undefined {
  const keep = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? new Spelt(source) : value;
  try {
    return { value: JSON.parse(text, keep as (name: string, value: unknown) => unknown) };
  } catch {
    return undefined;
  }
}

/** A number as it was spelt. */
class Spelt {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parts of a value off the marked path; a short value stays on one line. */
const mostParts = { items: 2, members: 12, onPath: 40, width: 90, text: 200 } as const;

/** The path of a value that may be missing, or that an envelope may contain. */
function findPath(value: unknown, path: readonly string[]): readonly string[] | undefined {
  const has = (part: unknown, [next, ...rest]: readonly string[]): boolean =>
    next === undefined ||
    (namesOf(part)?.includes(next) === true && has((part as Record<string, unknown>)[next], rest));
  if (has(value, path)) return path;
  const envelope = namesOf(value)?.find((name) => has((value as Record<string, unknown>)[name], path));
  return envelope === undefined || Array.isArray(value) ? undefined : [envelope, ...path];
}

function hasId(item: unknown, ids: ReadonlySet<string>): boolean {
  return (
    namesOf(item) !== undefined &&
    Object.entries(item as object).some(
      ([name, value]) => ids.has(String(value)) && (typeof value === 'string' || /id$/i.test(name)),
    )
  );
}

/** Lines of indented JSON, in which all but the way to the marked value and the items with an id is cut. */
function outline(value: unknown, { path: given, isOptional, ids = new Set() }: Sought): Omit<ShownBody, 'bytes'> {
  const path = given !== undefined && isOptional === true ? findPath(value, given) : given;
  const lines: string[] = [];
  let marked: [number, number] | undefined;
  const write = (part: unknown, left: readonly string[] | undefined, before: string, indent: string, after: string) => {
    const first = lines.length;
    const [next, ...rest] = left ?? [];
    const names = namesOf(part);
    // A missing member is marked by the object that lacks it.
    const isTarget = left !== undefined && (next === undefined || names?.includes(next) !== true);
    const isOnPath = left !== undefined && !isTarget;
    const short = isOnPath ? undefined : oneLine(part);
    if (names === undefined || (short !== undefined && short.length <= mostParts.width)) {
      lines.push(`${before}${short ?? cut(part)}${after}`);
    } else {
      const isList = Array.isArray(part);
      const wanted = isList ? part.flatMap((item, index) => (hasId(item, ids) ? [index] : [])) : [];
      const way = isOnPath || isTarget ? next : undefined;
      const kept = keep(
        names,
        isList,
        way === undefined ? wanted : [...wanted, names.indexOf(way)],
        left !== undefined,
      );
      lines.push(`${before}${isList ? '[' : '{'}`);
      let last = -1;
      for (const index of kept) {
        if (lines.length > most.jsonLines) break;
        if (index > last + 1) lines.push(`${indent}  … ${counted(index - last - 1, isList ? 'item' : 'member')}`);
        const name = names[index] ?? '';
        const label = isList ? '' : `${JSON.stringify(name)}: `;
        const comma = index < names.length - 1 ? ',' : '';
        const start = lines.length;
        const left = isOnPath && name === next ? rest : undefined;
        write((part as Record<string, unknown>)[name], left, `${indent}  ${label}`, `${indent}  `, comma);
        if (path === undefined && wanted.includes(index)) marked ??= [start, lines.length - 1];
        last = index;
      }
      if (last < names.length - 1)
        lines.push(`${indent}  … ${counted(names.length - 1 - last, isList ? 'item' : 'member')}`);
      lines.push(`${indent}${isList ? ']' : '}'}${after}`);
    }
    if (isTarget) marked = [first, lines.length - 1];
  };
  write(value, path, '', '', '');
  return { lines, ...(marked !== undefined && { marked }) };
}

/** Indexes of the parts to show. */
function keep(names: readonly string[], isList: boolean, wanted: readonly number[], isNear: boolean): number[] {
  const number = isList ? mostParts.items : isNear ? mostParts.onPath : mostParts.members;
  return [...names.keys()].filter((index) => index < number || wanted.includes(index));
}

/** Names of the members or items; undefined for a scalar. */
function namesOf(value: unknown): readonly string[] | undefined {
  return typeof value === 'object' && value !== null && !(value instanceof Spelt) ? Object.keys(value) : undefined;
}

/** JSON on one line, with a space after commas and colons; undefined if it is long. */
function oneLine(value: unknown): string | undefined {
  const names = namesOf(value);
  if (names === undefined) return cut(value);
  if (names.length > mostParts.members) return undefined;
  const parts = names.map((name) => oneLine((value as Record<string, unknown>)[name]));
  if (parts.some((part) => part === undefined || part.length > mostParts.width)) return undefined;
  if (Array.isArray(value)) return `[${parts.join(', ')}]`;
  return parts.length === 0
    ? '{}'
    : `{ ${parts.map((part, at) => `${JSON.stringify(names[at])}: ${part}`).join(', ')} }`;
}

/** A scalar, of a long text only the beginning. */
function cut(value: unknown): string {
  if (value instanceof Spelt) return value.source;
  if (typeof value !== 'string' || value.length <= mostParts.text) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, mostParts.text)).slice(0, -1)}…" (${value.length} characters)`;
}
