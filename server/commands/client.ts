import {
  ClientFault,
  createClientMetadata,
  type OwnClient,
  type PartnerClient,
} from '../oauth/create-client-metadata.ts';
import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import { nearestOf } from './nearest-of.ts';

/** `client create`: the secret is shown now and never again; the store keeps its SHA-256. Run again it changes nothing. */
export async function createClient(store: Store, input: OwnClient | PartnerClient): Promise<CommandResult> {
  try {
    const { clientId, metadata, secret } = createClientMetadata(input);
    if (input.kind === 'own' && (await store.accounts.find(input.ownerAccount)) === undefined) {
      const known = (await store.accounts.list()).map(({ id }) => id);
      return refused(`There is no account ${input.ownerAccount}${nearestOf(input.ownerAccount, known)}`);
    }
    if (!(await store.clients.create({ clientId, metadata })))
      return done(`The client ${clientId} exists already; nothing changed, and its secret can't be shown again.`, {
        clientId,
        created: false,
      });
    return done(`Created the client ${clientId}. Its secret, shown this once:\n${secret}`, {
      clientId,
      secret,
      created: true,
    });
  } catch (error) {
    if (error instanceof ClientFault) return refused(error.faults.join('\n'), { faults: error.faults });
    throw error;
  }
}
