import { formatPointer } from '@lockstep/json/json-pointer';
import { type LimitFinding, type LimitStep, limits } from './limits.ts';
import { type Visited, walkOnce } from './walk-document.ts';

/** A construct that OpenAPI allows but the toolkit can't derive from. */
export interface Unsupported {
  readonly pointer: string;
  readonly rule: `unsupported/${string}`;
  readonly message: string;
  readonly fix: string;
}

/**
 * Lists the unsupported constructs of one step. After a finding of a limit with `stops`, the step finishes, since later limits may rely on it.
 *
 * @param objects of the document: a caller who needs them too passes its own
 */
export function findUnsupported(
  document: unknown,
  step: LimitStep,
  objects = walkOnce(document),
): readonly Unsupported[] {
  const found: Unsupported[] = [];
  let listed: readonly Visited[] | undefined;
  const schemas = (): readonly Visited[] => {
    listed ??= objects().filter(({ isSchema }) => isSchema);
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
