import { contentFor, isJson, responseFor } from '../contract/contract.ts';
import { isObject, joinPointer, type Pointer } from '../contract/document.ts';
import { excerpt } from '../contract/printable.ts';
import { headerOf, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { valueAt } from '../rejections/find-place.ts';
import type { RunContext, TraceCheck } from './check.ts';
import { readParts, statesFailure } from './parts.ts';

/** A way in which a server loses or rewrites text. */
interface Loss {
  /** `came back with …`. */
  readonly about: string;
  readonly clause: string;
  readonly isLost: (sent: string, read: string) => boolean;
}

const ofEncoding = 'RFC 8259 8.1';
const ofMeaning = 'RFC 8259 7';

/** In their order: the first that fits names the change. Any other change may be meant: `name` as a slug, without controls, or masked. */
export const losses = {
  replaced: {
    about: 'replacement characters',
    clause: ofEncoding,
    isLost: (sent, read) => isReplaced(sent, read),
  },
  misread: {
    about: 'its UTF-8 octets as characters of another encoding',
    clause: ofEncoding,
    // A `TextDecoder` takes the label latin1 for windows-1252 (Encoding, 4.2).
    isLost: (sent, read) =>
      [Buffer.from(sent).toString('latin1'), new TextDecoder('windows-1252').decode(Buffer.from(sent))].includes(read),
  },
  dropped: {
    about: 'characters missing',
    clause: ofEncoding,
    // A text of such characters alone that comes back empty may have been cut or filtered.
    isLost: (sent, read) =>
      (isSpecial(sent) && isCut(sent, read)) ||
      [/[^\0-\uffff]/gu, /[^\0-\x7f]/gu].some((lost) => isDropped(sent, read, lost)),
  },
  cut: {
    about: 'its end cut off',
    clause: ofMeaning,
    isLost: (sent, read) => isCut(sent, read),
  },
  escaped: {
    about: 'escapes that were not sent',
    clause: ofMeaning,
    isLost: (sent, read) => [unescapeMarkup(read), read.replaceAll(/\\(.)/gs, '$1')].includes(sent),
  },
  evaluated: {
    about: 'its template or percent-encoding evaluated',
    clause: ofMeaning,
    isLost: (sent, read) => evaluations.some(([from, to]) => sent.includes(from) && sent.replaceAll(from, to) === read),
  },
} as const satisfies Readonly<Record<string, Loss>>;

type LossName = keyof typeof losses;

const evaluations = [
  ['\x24{7*7}', '49'],
  ['{{7*7}}', '49'],
  ['%00', '\u0000'],
  ['%00', ''],
] as const;

/** Non-ASCII characters and controls: those that another character set may lack. */
const special = /[^\x20-\x7e]+/g;

function isSpecial(text: string): boolean {
  return text.search(special) >= 0;
}

function isCut(sent: string, read: string): boolean {
  return sent.startsWith(read) && sent.trimEnd().length > read.length;
}

function isReplaced(sent: string, read: string): boolean {
  const marks = (text: string): number => text.match(/[?\ufffd]/g)?.length ?? 0;
  if (marks(read) <= marks(sent)) return false;
  const outline = (text: string): string => text.replaceAll('?', '\ufffd').replaceAll(special, '\ufffd').trim();
  return outline(sent) === outline(read);
}

/** Whether all visible characters of a kind are missing: invisible ones may be removed on purpose. */
function isDropped(sent: string, read: string, lost: RegExp): boolean {
  const left = sent.replaceAll(lost, '');
  return /[\p{L}\p{N}\p{So}]/u.test(sent.match(lost)?.join('') ?? '') && plain(left) === plain(read);
}

function unescapeMarkup(text: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#x27': "'" };
  return text
    .replaceAll(/&(lt|gt|quot|apos|#39|#x27|#96|#x60|#x2F);/gi, (all, name: string) => names[name.toLowerCase()] ?? all)
    .replaceAll('&amp;', '&');
}

/** Text without the differences that are allowed: surrounding and repeated spaces, case, and Unicode normalisation. */
function plain(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** @returns undefined if the texts are equal, or if their difference may be meant */
export function lossOf(sent: string, read: string): LossName | undefined {
  if (plain(sent) === plain(read)) return undefined;
  const names = Object.keys(losses) as LossName[];
  return names.find((name) => losses[name].isLost(sent, read));
}

/** A text of the body that an answer shows otherwise. */
export interface ChangedText {
  readonly tokens: readonly string[];
  readonly sent: string;
  readonly read: string;
  readonly loss: LossName;
}

/**
 * The texts of a request's body that an answer shows at the same place, in an object around them or without, if the contract declares
 * a string there.
 *
 * @param shown the answer to the request, or to a later read of the object
 */
export function shownTexts(
  { judge }: Pick<RunContext, 'judge'>,
  sent: Pick<NumberedExchange, 'seen'>,
  shown: Pick<NumberedExchange, 'seen' | 'outcome' | 'operation'>,
): readonly { readonly tokens: readonly string[]; readonly sent: string; readonly read: string }[] {
  const { outcome, operation, seen } = shown;
  if (outcome.kind === 'none' || !isAccepted(shown) || outcome.isCut === true) return [];
  const type = headerOf(outcome, 'content-type') ?? '';
  const schema = contentFor(responseFor(operation, outcome.status)?.contents ?? [], type)?.schema;
  if (schema === undefined || !isJson(type)) return [];
  return textsIn(sent.seen.requestBody).flatMap(({ tokens, text }) => {
    for (const path of [tokens, ...wrappersOf(seen.responseBody).map((name) => [name, ...tokens])]) {
      const read = valueAt(seen.responseBody, path);
      if (typeof read === 'string' && isDeclared(judge, schema, path)) return { tokens, sent: text, read };
    }
    return [];
  });
}

export function changedTexts(
  context: Pick<RunContext, 'judge'>,
  sent: Pick<NumberedExchange, 'seen'>,
  shown: Pick<NumberedExchange, 'seen' | 'outcome' | 'operation'>,
): readonly ChangedText[] {
  return shownTexts(context, sent, shown).flatMap((one) => {
    const loss = lossOf(one.sent, one.read);
    return loss === undefined ? [] : { ...one, loss };
  });
}

/** Names of members that are objects: `data` in `{"data": {…}}`. */
function wrappersOf(body: unknown): readonly string[] {
  return isObject(body) ? Object.keys(body).filter((name) => isObject(body[name])) : [];
}

const most = { texts: 60, levels: 6 } as const;

function textsIn(value: unknown): { readonly tokens: readonly string[]; readonly text: string }[] {
  const found: { tokens: readonly string[]; text: string }[] = [];
  const walk = (part: unknown, tokens: readonly string[]): void => {
    if (found.length >= most.texts || tokens.length > most.levels) return;
    if (typeof part === 'string') found.push({ tokens, text: part });
    else if (typeof part === 'object' && part !== null)
      for (const [name, inner] of Object.entries(part)) walk(inner, [...tokens, name]);
  };
  walk(value, []);
  return found;
}

/** Whether the contract declares a string there, and no other type but null. */
function isDeclared({ forms }: RunContext['judge'], schema: Pointer, tokens: readonly string[]): boolean {
  const form = forms.response;
  let node = form.at(schema);
  for (const token of tokens) {
    const shape = form.branch(node);
    node =
      /^\d+$/.test(token) && shape.types.has('array') ? form.item(shape, Number(token)) : form.property(shape, token);
  }
  const { types } = form.common(node);
  return types.has('string') && [...types].every((type) => type === 'string' || type === 'null');
}

const shownCharacters = 80;

export const textChanged: TraceCheck = {
  kind: 'trace',
  name: 'text-changed',
  about: 'text that the server accepted comes back with characters lost, replaced or escaped',
  effect: 'Names and notes in other scripts are destroyed, and the client has no error to act on.',
  clauses: ['RFC 8259'],
  example: { sent: 'PUT /books/7 {"title":"Ünïcødé 😀"}, then GET /books/7', answered: '200 {"title":"Ünïcødé ?"}' },
  fix: 'Use UTF-8 from the parser to the storage, and escape where text is shown. Reject text that cannot be stored.',
  allow: 'Declare the characters in a pattern, or the limit in maxLength: the server then has to reject other text.',
  plan: () => [],
  needs: () => 'accepted answer to these texts',
  judge: (trace, context) => {
    const parts = readParts(trace, textChanged.name);
    if (parts === undefined || !isAccepted(parts.case) || statesFailure(parts.case)) return [];
    const place = parts.name;
    const changesOf = (role: string): readonly ChangedText[] => {
      const sent = parts.of(role);
      if (sent === undefined) return [];
      // How readers treat half a character is unpredictable (RFC 8259, 8.2).
      return changedTexts(context, sent, parts.of(`${role} read`) ?? sent).filter((one) => one.sent.isWellFormed());
    };
    const found = changesOf('case').flatMap((first) => {
      const again = changesOf('repeat').find((one) => isSamePlace(one, first) && one.loss === first.loss);
      return again === undefined ? [] : again;
    });
    const [changed] = found;
    const exchange = parts.of('repeat');
    if (changed === undefined || exchange === undefined) return [{ place, failures: [], exchange: parts.case }];
    const control = parts.of('control');
    const shown = control === undefined ? [] : shownTexts(context, control, parts.of('control read') ?? control);
    // A server that writes the member by itself changes plain text too.
    const isKept = shown.some((one) => isSamePlace(one, changed) && one.sent === one.read);
    if (!isKept) return [{ place, failures: [], exchange: parts.case }];
    return [{ place, exchange, failures: [failureOf(exchange, changed)] }];
  },
};

function isSamePlace(a: Pick<ChangedText, 'tokens'>, b: Pick<ChangedText, 'tokens'>): boolean {
  return a.tokens.join('/') === b.tokens.join('/');
}

function failureOf({ intent, operation }: NumberedExchange, { tokens, sent, read, loss }: ChangedText): Failure {
  const { about, clause } = losses[loss];
  const [from, to] = [sent, read].map((text) => excerpt(JSON.stringify(text), shownCharacters));
  const { pointer = operation.body?.pointer ?? operation.pointer } = intent.place ?? {};
  return {
    check: textChanged.name,
    // Without a limit in the contract, a server may have one that it should have stated.
    severity: loss === 'cut' && intent.place?.keyword !== 'maxLength' ? 'suspect' : 'defect',
    place: `body ${joinPointer('', ...tokens)}`,
    pointer,
    keyword: loss,
    clause,
    message: `${from} was accepted and came back as ${to}, with ${about}; a plain text came back unchanged`,
    causes: [[loss]],
  };
}
