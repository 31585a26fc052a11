import { type ContractOperation, listOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument, Ref, ResponseObject } from '../contract/openapi-document.ts';
import { type Resolved, resolveRef } from '../contract/resolve-ref.ts';

interface Example {
  readonly summary?: string;
  readonly description?: string;
  readonly value?: unknown;
}

/** A response with `x-error-codes`. */
interface Rejection {
  description?: string;
  readonly 'x-error-codes': readonly string[];
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Ref<Example>>> }>>;
}

/** An occurrence of a code: an operation, a status, and the example with the name of the code. */
interface Occurrence {
  readonly code: string;
  /** As a link; undefined if the request reaches no operation. */
  readonly operation: string | undefined;
  readonly status: string;
  readonly example: Example | undefined;
}

const heading = 'Error catalogue';

/**
 * Documents the error codes. The description of a response lists its codes, each a link. A section at the end of `info.description` shows for each
 * code: the statuses, the cause (the `summary` of its example), the fix (its `description`), the operations, each a link, and an example answer.
 * If operations have other causes for the same code, these are listed too.
 *
 * A contract without `x-error-codes` stays as it is.
 *
 * @returns a copy if there are codes
 */
export function addErrorCatalogue(document: OpenApiDocument): OpenApiDocument {
  if (listRejections(document).length === 0) return document;
  const copy = structuredClone(document) as OpenApiDocument;
  const rejections = listRejections(copy);
  const occurrences = rejections.flatMap((row) => listOccurrences(copy, row));
  // A response that several operations share is one object.
  for (const rejection of new Set(rejections.map(({ rejection }) => rejection.value))) {
    const links = rejection['x-error-codes'].map((code) => `[\`${code}\`](${anchorOf(code)})`);
    rejection.description = joinParts([rejection.description, `Codes: ${links.join(', ')}`]);
  }
  const info = copy.info as { description?: string };
  const entries = [...Map.groupBy(occurrences, ({ code }) => code)].map(([code, found]) => writeEntry(code, found));
  info.description = `${joinParts([info.description, `# ${heading}`, ...entries])}\n`;
  return copy;
}

/** The anchor that Redoc gives a heading below another. Tools without such anchors show the code only. */
function anchorOf(code: string): string {
  return `#section/${heading.toLowerCase().replaceAll(' ', '-')}/${code.toLowerCase()}`;
}

/** In the order of the contract, then the answers outside its operations. */
function listRejections(document: OpenApiDocument) {
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
    'x-error-codes' in response.value ? [{ ...row, rejection: response as object as Resolved<Rejection> }] : [],
  );
}

/** A link to the response by the anchor of Redoc 3, which then shows the codes of this status. */
function linkTo({ operationId, operation }: ContractOperation, status: string): string {
  const { summary = operationId } = operation as { readonly summary?: string };
  const words = summary.replaceAll(/[\\[\]]/g, '\\$&');
  return `[${words}](#operation/${encodeURIComponent(operationId)}/responses&c=${status})`;
}

/** Prefers JSON among several media types: a page for a browser shows the same codes. */
function listOccurrences(
  document: OpenApiDocument,
  { status, operation, rejection: { value, pointer } }: ReturnType<typeof listRejections>[number],
): readonly Occurrence[] {
  const content = Object.entries(value.content ?? {});
  const [, media] = content.find(([type]) => /json/.test(type)) ?? content[0] ?? [];
  return value['x-error-codes'].map((code) => {
    const example = media?.examples?.[code];
    return { code, operation, status, example: example && resolveRef(document, example, pointer).value };
  });
}

function writeEntry(code: string, found: readonly Occurrence[]): string {
  const statuses = [...new Set(found.map(({ status }) => status))].sort();
  const operations = [...new Set(found.flatMap(({ operation }) => operation ?? []))];
  const [shown, ...others] = [
    ...Map.groupBy(
      found.flatMap(({ example }) => example ?? []),
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
