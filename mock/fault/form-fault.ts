import type { PlaceFault } from '@lockstep/runtime/form/detail';
import { boundFaults } from '@lockstep/server/http/refuse-form';
import { Fault, faultStatuses, formHints } from './fault.ts';

/** A request of bad form. The first fault gives text and status; a place may have a status of its own. */
export function formFault(first: PlaceFault, all: readonly PlaceFault[]): Fault {
  const { text, details } = boundFaults(first, all);
  const statuses = first.status === undefined ? faultStatuses.form : [first.status, ...faultStatuses.form];
  return new Fault({ statuses, says: text, hints: formHints, details });
}
