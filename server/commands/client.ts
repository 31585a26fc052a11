import type { EpochMilliseconds } from '../clock.ts';
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

/** `client disable` and `client enable`: in force with the next request, at the API and at the token endpoint. Run again, nothing changes. */
export async function switchClient(
  store: Pick<Store, 'clients'>,
  clientId: string,
  verb: 'disable' | 'enable',
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const client = await store.clients.find(clientId);
  if (client === undefined) {
    const known = (await store.clients.list()).map((one) => one.clientId);
    return refused(`There is no client ${clientId}${nearestOf(clientId, known)}`);
  }
  const isDisabled = client.disabledAt !== null;
  const changed = isDisabled !== (verb === 'disable');
  if (changed) await store.clients.setDisabled(clientId, verb === 'disable' ? Math.floor(now / 1000) : null);
  const text = changed ? `${clientId}: ${verb}d` : `${clientId} is ${verb}d already; nothing changed.`;
  return done(text, { clientId, disabled: verb === 'disable', changed });
}
