import { formatPointer } from '@lockstep/json/json-pointer';
import { type LimitFinding, type LimitStep, limits } from './limits.ts';
import { listSchemas, type Visited, walkDocument } from './walk-document.ts';

/** A construct that OpenAPI allows but the toolkit can't derive from. */
export interface Unsupported {
  readonly pointer: string;
  readonly rule: `unsupported/${string}`;
  readonly message: string;
  readonly fix: string;
}

/** Lists the unsupported constructs of one step. After a finding of a limit with `stops`, the step finishes, since later limits may rely on it. */
export function findUnsupported(document: unknown, step: LimitStep): readonly Unsupported[] {
  const found: Unsupported[] = [];
  let walked: readonly Visited[] | undefined;
  const objects = (): readonly Visited[] => {
    walked ??= walkDocument(document);
    return walked;
  };
  let listed: readonly Visited[] | undefined;
  const schemas = (): readonly Visited[] => {
    listed ??= listSchemas(document);
    return listed;
  };
  for (const { name, fix, find, stops } of limits[step]) {
    const findings: readonly LimitFinding[] = [...find(document, objects, schemas)];
    found.push(
      ...findings.map(({ at, message, fix: own = fix }) => ({
        pointer: formatPointer(at),
        rule: `unsupported/${name}` as const,
        message,
        fix: own,
      })),
    );
    if (stops === true && findings.length > 0) break;
  }
  return found;
}
