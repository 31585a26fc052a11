import { type ContractOperation, listOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument, Ref, ResponseObject } from '../contract/openapi-document.ts';
import { type Resolved, resolveRef } from '../contract/resolve-ref.ts';

interface Example {
  readonly summary?: string;
  readonly description?: string;
  readonly value?: unknown;
}

/** A response that says in `x-error-codes` what it can carry. */
interface Refusal {
  description?: string;
  readonly 'x-error-codes': readonly string[];
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Ref<Example>>> }>>;
}

/** Where a code is met: an operation, a status, and the example that goes by its name. */
interface Meeting {
  readonly code: string;
  /** As a link; undefined where no operation is reached. */
  readonly operation: string | undefined;
  readonly status: string;
  readonly example: Example | undefined;
}

const heading = 'Error catalogue';

/**
 * Makes the error codes readable where a caller meets them. The description of a response lists its codes, each a link, and a section at the
 * end of `info.description` says for each code: the statuses, the cause (the `summary` of its example), the fix (its `description`), the
 * operations, each a link, and what the answer looks like. Where operations have other causes for the same code, these are named too.
 *
 * A contract without `x-error-codes` stays as it is.
 *
 * @returns a copy, where there is something to say
 */
export function addErrorCatalogue(document: OpenApiDocument): OpenApiDocument {
  if (listRefusals(document).length === 0) return document;
  const copy = structuredClone(document) as OpenApiDocument;
  const refusals = listRefusals(copy);
  const meetings = refusals.flatMap((row) => meet(copy, row));
  // A response that several operations share is one object.
  for (const refusal of new Set(refusals.map(({ refusal }) => refusal.value))) {
    const links = refusal['x-error-codes'].map((code) => `[\`${code}\`](${anchorOf(code)})`);
    refusal.description = joinParts([refusal.description, `Codes: ${links.join(', ')}`]);
  }
  const info = copy.info as { description?: string };
  const entries = [...Map.groupBy(meetings, ({ code }) => code)].map(([code, met]) => writeEntry(code, met));
  info.description = `${joinParts([info.description, `# ${heading}`, ...entries])}\n`;
  return copy;
}

/** As Redoc names the place of a heading below another; other tools that know no such place show the code alone. */
function anchorOf(code: string): string {
  return `#section/${heading.toLowerCase().replaceAll(' ', '-')}/${code.toLowerCase()}`;
}

/** In the order of the contract, then what answers outside its operations. */
function listRefusals(document: OpenApiDocument) {
  const paths = new Map(Object.keys(document.paths ?? {}).map((path, index) => [path, index]));
  const rows = listOperations(document).toSorted((a, b) => (paths.get(a.path) ?? 0) - (paths.get(b.path) ?? 0));
  const unrouted = (document as { 'x-unrouted'?: Readonly<Record<string, Ref<ResponseObject>>> })['x-unrouted'] ?? {};
  const all = [
    ...rows.flatMap((row) => row.responses.map((answer) => ({ ...answer, operation: linkTo(row, answer.status) }))),
    ...Object.entries(unrouted).map(([status, response]) => ({
      status,
      response: resolveRef(document, response, `/x-unrouted/${status}`),
      operation: undefined,
    })),
  ];
  return all.flatMap(({ response, ...row }) =>
    'x-error-codes' in response.value ? [{ ...row, refusal: response as object as Resolved<Refusal> }] : [],
  );
}

/** To that response, as Redoc 3 names its place: it then shows the codes of this status. */
function linkTo({ operationId, operation }: ContractOperation, status: string): string {
  const { summary = operationId } = operation as { readonly summary?: string };
  const words = summary.replaceAll(/[\\[\]]/g, '\\$&');
  return `[${words}](#operation/${encodeURIComponent(operationId)}/responses&c=${status})`;
}

/** Of several media types JSON speaks: a page for a browser says the same. */
function meet(
  document: OpenApiDocument,
  { status, operation, refusal: { value, pointer } }: ReturnType<typeof listRefusals>[number],
): readonly Meeting[] {
  const content = Object.entries(value.content ?? {});
  const [, media] = content.find(([type]) => /json/.test(type)) ?? content[0] ?? [];
  return value['x-error-codes'].map((code) => {
    const example = media?.examples?.[code];
    return { code, operation, status, example: example && resolveRef(document, example, pointer).value };
  });
}

function writeEntry(code: string, met: readonly Meeting[]): string {
  const statuses = [...new Set(met.map(({ status }) => status))].sort();
  const operations = [...new Set(met.flatMap(({ operation }) => operation ?? []))];
  const [shown, ...others] = [
    ...Map.groupBy(
      met.flatMap(({ example }) => example ?? []),
      ({ summary }) => summary,
    ).values(),
  ].flatMap(([first]) => first ?? []);
  const named = others.flatMap(({ summary, description }) =>
    summary === undefined
      ? []
      : `- ${endSentence(summary)}${description === undefined ? '' : ` ${description.trim()}`}`,
  );
  return joinParts([
    `## ${code}`,
    `**Status:** ${statuses.join(', ')}`,
    shown?.summary && `**Cause:** ${endSentence(shown.summary)}`,
    shown?.description && `**Fix:** ${shown.description}`,
    `**Operations:** ${operations.join(', ') || 'none; the request reaches no operation'}`,
    shown?.value !== undefined && writeBlock(shown.value),
    named.length > 0 && 'Other causes:',
    named.length > 0 && named.join('\n'),
  ]);
}

function writeBlock(value: unknown): string {
  const [language, text] = typeof value === 'string' ? ['text', value] : ['json', JSON.stringify(value, null, 2)];
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

function joinParts(parts: readonly (string | false | undefined)[]): string {
  return parts
    .flatMap((part) => (part ? part.trim() : []))
    .filter((part) => part !== '')
    .join('\n\n');
}
