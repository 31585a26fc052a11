import { nearestNames } from '@lockstep/runtime/form/nearest-name';
import { cut, listOr } from '@lockstep/runtime/form/sentence';
import { Fault, faultStatuses } from './fault.ts';

/** A path outside the contract. */
export function routeFault(method: string, path: string, known: readonly string[]): Fault {
  const nearest = nearestNames(path, known).slice(0, 1);
  const cure = nearest.length > 0 ? `, did you mean ${nearest[0]}?` : '';
  const says = `not found route: ${method} ${cut(path)}${cure}`;
  return new Fault({ statuses: [404], says, hints: ['route'], details: [{ in: 'path', at: '', says, nearest }] });
}

/** A path of the contract, but a method that it does not declare there. */
export function methodFault(method: string, allowed: readonly string[]): Fault {
  return new Fault({
    statuses: [405],
    says: `${method} is not allowed here, use ${listOr(allowed)}`,
    hints: ['method'],
    headers: { Allow: allowed.join(', ') },
  });
}

/** A bug of the mock: logged whole, nothing of it sent. */
export function bugFault(): Fault {
  return new Fault({ statuses: faultStatuses.internal, says: 'Internal error of the mock', hints: ['internal'] });
}
