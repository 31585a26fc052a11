/** One report of either tool, as far as folding goes. */
export interface Report {
  /** The check, by the tool's own name. */
  readonly kind: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly message: string;
  /** The body of the answer, or its start. */
  readonly body: string;
}

/**
 * Reports of one kind, status and sentence are taken for one cause, and broken servers only with bodies that differ in
 * values alone: near what a person would fold, and the same for every tool.
 *
 * @returns how many are left
 */
export function countFolded(reports: readonly Report[]): number {
  const keys = reports.map(({ kind, status, message, body }) =>
    [kind, status, sentenceOf(message), status >= 500 ? shapeOf(body) : ''].join(' '),
  );
  return new Set(keys).size;
}

/** Without what lists and numbers differ in: `Received: 404, Documented: 200, 401` is one sentence for all operations. */
export function sentenceOf(message: string): string {
  const [first = ''] = message.split('\n');
  return withoutIds(first)
    .replaceAll(/\d+/g, '0')
    .replaceAll(/(?:0, )+0/g, '0');
}

function shapeOf(body: string): string {
  const words = withoutIds(body.slice(0, 300)).replaceAll(/\d+/g, '0');
  return words
    .replaceAll(/'[^']*'|\\"[^"]*\\"/g, "''")
    .replaceAll(/\s+/g, ' ')
    .slice(0, 80);
}

function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}/gi, '0');
}
