// Valid values that a keyword of the contract names, and that the server rejects.
import type { Operation } from '../contract/contract.ts';
import { type Boundary, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { classOf, type Failure } from '../failures/failure.ts';
import { pathsIn, valueAt } from '../rejections/find-place.ts';
import { readRejection } from '../rejections/read-rejection.ts';
import { normal } from '../resources/slots.ts';
import { clauseOf } from '../schema/clauses.ts';
import type { RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { exchangesOf, statusOf } from './parts.ts';

/** Statuses that are about the values of a request. */
const aboutValues = new Set([400, 413, 414, 415, 422, 431]);

/** Statuses that are about values too, unless the contract gives them a meaning of its own. */
const perhapsAboutValues = new Set([405, 406]);

/** Reasons that no schema can express: what exists already, how much is left, the state of an object. */
const ofBusiness =
  /\b(already|duplicate|unique|taken|in use|conflict|quota|too many|limit (was )?reached|insufficient|not enough|transition|permission|forbidden|expired|sold out|unavailable|not available)\b/i;

export const validRefused: TraceCheck = {
  kind: 'trace',
  name: 'valid-refused',
  about: 'a valid value that the contract names is rejected: a bound, a member of an enum, an optional part left out',
  effect: 'Clients that rely on the contract fail with values that it allows.',
  clauses: ['JSON Schema', 'OpenAPI'],
  example: {
    sent: 'GET /books?limit=100; the contract declares maximum: 100',
    answered: '400; GET /books is answered 200 before and after',
  },
  fix: 'Accept the value, or declare the limit that the server has.',
  allow: 'Change the keyword of the contract, or describe the rule by x-rule.',
  plan: () => [],
  needs: (place) => `conclusive answer to a request with "${place}"`,
  judge: (trace, context) => {
    const own = exchangesOf(trace, validRefused.name);
    const accepted = own
      .filter(isAccepted)
      .flatMap((exchange) =>
        boundariesOf(exchange).map(({ place }): TraceVerdict => ({ place, failures: [], exchange })),
      );
    const cases = own.filter((one) => isCase(one) && !accepted.some(({ place }) => place === one.intent.probe?.name));
    const probes = Map.groupBy(cases, ({ intent }) => intent.probe?.name);
    const rejected = [...probes].map(([name, sent]): TraceVerdict => {
      const controls = own.filter(({ intent: { probe } }) => probe?.name === name && probe?.role === 'control');
      return judgeRejected(sent, controls, context);
    });
    return [...accepted, ...rejected];
  },
};

function isCase({ intent: { probe } }: NumberedExchange): boolean {
  return probe?.role === 'case' && probe.boundaries?.length === 1;
}

function boundariesOf({ intent }: NumberedExchange): readonly Boundary[] {
  return intent.probe?.boundaries ?? [];
}

/** @param cases rejected requests that reach one boundary */
function judgeRejected(cases: Trace, controls: Trace, context: RunContext): TraceVerdict {
  const [exchange] = cases.slice(-1) as [NumberedExchange];
  const [boundary] = boundariesOf(exchange) as [Boundary];
  const { operation } = exchange;
  const { place } = boundary;
  const status = statusOf(exchange);
  const leave = (unjudged: string): TraceVerdict => ({ place, failures: [], unjudged, exchange });
  if (!cases.every((one) => isAboutValues(operation, statusOf(one)))) return leave(`the server answered ${status}`);
  if (!boundary.isNamed) return leave(`the server answered ${status}; the contract does not name this very value`);
  if (cases.length < 2 || controls.length < 2 || !controls.every(isAccepted))
    return leave(`it was answered ${status}, and no similar request was accepted before and after`);
  const rejection = readRejection(context.contract, exchange);
  const words = rejection === undefined ? '' : rejection.sentences.join(' ') || rejection.words;
  if (ofBusiness.test(words)) return leave(`the server answered ${status} for a reason of its own`);
  const isSure = isOfMediaType(boundary, status) && !namesOther(exchange, boundary, context, words);
  const { pointer, keyword, part, text, against } = boundary;
  const before = [...new Set(controls.map(statusOf))].join(' and ');
  const failure: Failure = {
    check: validRefused.name,
    severity: isSure ? 'defect' : 'suspect',
    place: part,
    pointer,
    keyword,
    clause: clauseFor(context, keyword),
    message: `${text} was answered ${status}; ${against} ${before} before and after`,
    // One cause for all rules that the contract does not state.
    causes: isSure
      ? [
          [classOf(status), pointer],
          [classOf(status), part, keyword],
        ]
      : [['underspecified']],
  };
  return { place, failures: [failure], exchange };
}

function isAboutValues({ responses }: Operation, status: number): boolean {
  const isDocumented = responses.some((response) => response.status === String(status));
  return aboutValues.has(status) || (perhapsAboutValues.has(status) && !isDocumented);
}

/** Another encoding may be malformed; only 415 and 406 are about the media type itself. */
function isOfMediaType({ keyword }: Boundary, status: number): boolean {
  return keyword !== 'content' || status === 415 || status === 406;
}

/** Whether the server's own words are about another part of the request: a rule couples two of them. */
function namesOther(exchange: NumberedExchange, boundary: Boundary, context: RunContext, words: string): boolean {
  const { operation, seen } = exchange;
  const { part, text } = boundary;
  const own = normal(part.split(/[ /]/).findLast((token) => !/^\d*$/.test(token)) ?? '');
  const places = (readRejection(context.contract, exchange)?.observations ?? []).flatMap(({ place }) =>
    place === undefined
      ? []
      : place.kind === 'body'
        ? (place.tokens.findLast((token) => !/^\d+$/.test(token)) ?? [])
        : place.parameter.name,
  );
  if (places.some((name) => normal(name) !== own)) return true;
  const sent = pathsIn(seen.requestBody);
  const names = new Set([
    ...operation.parameters.map(({ name }) => name),
    ...sent.map((path) => path.at(-1) ?? ''),
    ...declaredNames(exchange, context),
  ]);
  const others = [...names].filter(
    (name) => name.length > 2 && normal(name) !== own && !normal(part).includes(normal(name)),
  );
  // A member that is true or false often decides which others are needed.
  const isSwitch = /=(true|false) /.test(text);
  const spelled = ` ${words.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ')} `;
  const values = sent.map((path) => valueAt(seen.requestBody, path)).filter((value) => typeof value === 'string');
  return (
    others.some((name) => isNamedIn(words, spelled, name, isSwitch)) ||
    values.some((value) => value.length >= leastDistinctive && words.includes(value) && !text.includes(value))
  );
}

/** A shorter text may be a word of the sentence by chance. */
const leastDistinctive = 8;

/** Names that a sentence is searched for: a contract may declare thousands. */
const mostNames = 300;

/** Names of members that the schema of the request declares, nested ones too. */
function declaredNames({ draft }: NumberedExchange, { judge }: RunContext): readonly string[] {
  const schema = draft?.body?.content.schema;
  if (schema === undefined) return [];
  const form = judge.forms.request;
  const names = new Set<string>();
  const waiting = [{ node: form.at(schema), depth: 0 }];
  for (const { node, depth } of waiting) {
    const shape = form.common(node);
    for (const name of shape.properties.keys()) {
      if (names.size >= mostNames || names.has(name)) continue;
      names.add(name);
      if (depth < 3) waiting.push({ node: form.property(shape, name), depth: depth + 1 });
    }
  }
  return [...names];
}

/** @param spelled the words in lower case, with one space between two of them */
function isNamedIn(words: string, spelled: string, name: string, isSwitch: boolean): boolean {
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (parts.length > 1 || isSwitch) return spelled.includes(` ${parts.join(' ')} `);
  const escaped = RegExp.escape(name);
  // A plain word such as `value` counts only in quotes.
  const isPlain = /^[a-z]+$/.test(name);
  return new RegExp(isPlain ? `["'\`]${escaped}["'\`]` : `(^|[^\\w])${escaped}($|[^\\w])`).test(words);
}

function clauseFor({ contract: { root } }: RunContext, keyword: string): string {
  return keyword === 'content' ? 'OpenAPI, Request Body Object' : clauseOf(root.openapi, keyword);
}
