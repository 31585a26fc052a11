import { access, constants, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import { counted, messageOf } from '../contract/printable.ts';
import type { Finding, KnownFailure } from '../failures/finding.ts';
import type { RunResult } from '../run/run.ts';
import type { ConfigFile } from './config-file.ts';

/** Days for which a finding is accepted. */
const acceptedDays = 90;

interface Revision {
  readonly added: readonly KnownFailure[];
  /** Entries with their last day in the future again. */
  readonly renewed: readonly KnownFailure[];
  /** Entries with the operations that stay; entries without any are removed. */
  readonly reduced: ReadonlyMap<KnownFailure, readonly string[]>;
  readonly until: string;
}

/** Why the file cannot be written; undefined if it can. It is asked before the first request. */
export async function refuseToUpdate({ file }: ConfigFile): Promise<string | undefined> {
  try {
    await access(dirname(file), constants.W_OK);
    return undefined;
  } catch (error) {
    return `--update-known: ${file} cannot be written: ${messageOf(error)}.`;
  }
}

/**
 * Writes the findings of a run to `known` of a config file, and removes the entries that are gone. The rest of the file stays as it is.
 *
 * @param findings those to accept
 * @returns lines about the changes, or about the reason why there are none
 */
export async function updateKnown(
  { file, text, known }: ConfigFile,
  findings: readonly Finding[],
  { gone, now }: Pick<RunResult, 'gone' | 'now'>,
): Promise<{ readonly isDone: boolean; readonly lines: readonly string[] }> {
  const revision = revise(findings, gone, Date.parse(now));
  const { added, renewed, reduced } = revision;
  const removed = [...reduced.values()].filter((operations) => operations.length === 0).length;
  try {
    if ((await readIfExists(file)) !== text) throw new Error('it was changed during the run');
    if (added.length + renewed.length + reduced.size > 0)
      await replaceFile(file, await editKnown(text ?? '', known, revision));
  } catch (error) {
    return { isDone: false, lines: [`--update-known: ${file} was not written: ${messageOf(error)}.`] };
  }
  const kept = known.length - renewed.length - removed;
  const counts = `${added.length} added, ${renewed.length} renewed, ${kept} kept, ${removed} removed`;
  const head = `${file}: ${counted(known.length - removed + added.length, 'known failure')}: ${counts}.`;
  const listed = added.map(({ id, check, operations = [] }) => `  added ${[id, check, ...operations].join(' ')}`);
  const taken = [...reduced].map(([{ id, operations = [] }, left]) => {
    const from = operations.filter((operation) => !left.includes(operation));
    return `  removed ${[id, ...from].join(' ')}`;
  });
  return { isDone: true, lines: [head, ...listed, ...taken] };
}

function revise(findings: readonly Finding[], gone: RunResult['gone'], now: number): Revision {
  const dayAfter = (days: number): string => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const until = dayAfter(acceptedDays);
  const added = findings.flatMap(({ id, check, operations, expired = [] }): KnownFailure[] => {
    const own = operations.filter(
      (operation) => !expired.some((entry) => entry.operations === undefined || entry.operations.includes(operation)),
    );
    if (own.length === 0 && expired.length > 0) return [];
    const reason = `accepted on ${dayAfter(0)}`;
    return [{ id, check, ...(own.length > 0 && { operations: own }), reason, until }];
  });
  return {
    added,
    renewed: [...new Set(findings.flatMap(({ expired = [] }) => expired))],
    reduced: new Map(
      gone.map(({ entry, operations }) => [
        entry,
        (entry.operations ?? []).filter((operation) => !operations.includes(operation)),
      ]),
    ),
    until,
  };
}

/** Edits the text of `known` alone: a YAML writer would also change spaces and quotes elsewhere. */
async function editKnown(text: string, known: readonly KnownFailure[], revision: Revision): Promise<string> {
  const { isMap, isScalar, parseDocument } = await import('yaml');
  const { contents } = parseDocument(text);
  const pair = isMap(contents) ? contents.items.find(({ key }) => isScalar(key) && key.value === 'known') : undefined;
  const key = isScalar(pair?.key) ? pair.key.range : undefined;
  // In `{}`, a member cannot be written as a block.
  const isWhole = isMap(contents) && contents.flow === true;
  const start = isWhole ? 0 : (key?.[0] ?? text.length);
  const end = isWhole ? text.length : ((pair?.value as YAMLSeq | undefined)?.range?.[1] ?? text.length);
  const document = parseDocument(start === end ? 'known:\n' : text.slice(start, end));
  // An empty list is written as `[]`: its first entry would be on the same line.
  if (!document.hasIn(['known', 0]))
    document.set('known', document.createNode([], { flow: revision.added.length === 0 }));
  reviseEntries(document, known, revision);
  const section = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const before = text.slice(0, start);
  const rest = text[end - 1] === '\n' ? text.slice(end) : text.slice(end).replace(/^\n/, '');
  const gap = start === end && before.trim() !== '' ? (before.endsWith('\n') ? '\n' : '\n\n') : '';
  return `${before}${gap}${section}${rest}`;
}

function reviseEntries(document: Document, known: readonly KnownFailure[], revision: Revision): void {
  const { added, renewed, reduced, until } = revision;
  const list = document.get('known') as YAMLSeq<YAMLMap>;
  known.forEach((entry, index) => {
    if (renewed.includes(entry)) list.items[index]?.set('until', until);
    const operations = reduced.get(entry);
    if (operations !== undefined) list.items[index]?.set('operations', createList(document, operations));
  });
  list.items = list.items.filter((_, index) => reduced.get(known[index] as KnownFailure)?.length !== 0);
  for (const { id, operations, ...entry } of added) {
    const item = document.createNode({ id, ...entry }) as YAMLMap;
    if (operations !== undefined) item.set('operations', createList(document, operations));
    list.add(item);
  }
}

function createList(document: Document, values: readonly string[]): YAMLSeq {
  const list = document.createNode(values) as YAMLSeq;
  list.flow = true;
  return list;
}

async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Replaces a file by another one: a reader, or a run that is killed, never sees half of it. */
async function replaceFile(file: string, text: string): Promise<void> {
  // A symbolic link stays one.
  const target = await realpath(file).catch(() => file);
  const { mode } = await stat(target).catch(() => ({ mode: 0o666 }));
  const fresh = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(fresh, text, { mode });
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
